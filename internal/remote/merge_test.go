package remote

import (
	"slices"
	"strings"
	"testing"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

// facts answers the table's questions out of a test's own words: ids are short, "a<b"
// says that a is b's ancestor, a tag belongs to the claim of its first letter.
type facts struct {
	order string
	own   string // tags made in this clone
	log   history
}

func (f facts) ancestor(a, b gitops.Hash) (bool, error) {
	return a == b || strings.Contains(f.order, string(a)+"<"+string(b)), nil
}

func (f facts) claim(tag gitops.Hash) string { return string(tag[:1]) }

func (f facts) made(tag gitops.Hash) bool { return strings.Contains(f.own, string(tag)) }

func (f facts) rows() (history, error) { return f.log, nil }

// log reads rows such as "started 1 x", "done 1 x c2 c1" (stage, claim, head,
// replaces).
func log(rows ...string) history {
	var out history
	for i, r := range rows {
		w := append(strings.Fields(r), "", "", "")
		row := notes.Row{Seq: uint64(i + 1), ID: r, Status: notes.Status(w[0]), Stage: plan.StageNumber(w[1][0] - '0'), Claim: w[2]}
		row.Head, row.Replaces = gitops.Hash(w[3]), gitops.Hash(w[4])
		out = append(out, notes.Line{Row: row})
	}
	return out
}

// sideOf reads refs such as "plan=p done/1=c reserved/2=x1".
func sideOf(s string) *side {
	out := newSide()
	for _, word := range strings.Fields(s) {
		what, h, _ := strings.Cut(word, "=")
		if what == "notes" {
			out.notes = gitops.Hash(h)
		}
		out.take(what, gitops.Hash(h))
	}
	return out
}

// told writes an outcome: "REF=VALUE" for what moves, "-REF" for what goes, then
// "lost N" and "conflict REF".
func told(o outcome) string {
	var out []string
	for _, m := range o.moves {
		if m.want == "" {
			out = append(out, "-"+m.what)
		} else {
			out = append(out, m.what+"="+string(m.want))
		}
	}
	for _, l := range o.losses {
		how := "lost "
		switch {
		case l.told:
			how = "told "
		case l.late:
			how = "late "
		}
		out = append(out, how+string(rune('0'+l.stage)))
	}
	for _, c := range o.conflicts {
		out = append(out, "conflict "+c.Ref)
	}
	return strings.Join(out, " ")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name               string
		ours, theirs, base string
		order, own         string
		log                history
		want               string
	}{
		{name: "nothing anywhere"},
		{name: "a plan there", theirs: "plan=p", want: "plan=p"},
		{name: "a plan here", ours: "plan=p", want: "plan=p"},
		{name: "a newer plan there", ours: "plan=p", theirs: "plan=q", order: "p<q", want: "plan=q"},
		{name: "a newer plan here", ours: "plan=q", theirs: "plan=p", order: "p<q", want: "plan=q"},
		{name: "plans that went apart stop all", ours: "plan=q reserved/1=x1", theirs: "plan=r base=b", want: "conflict plan"},

		{name: "a base there", theirs: "base=b", want: "base=b"},
		{name: "a base here", ours: "base=b", want: "base=b"},
		{name: "another base there, nothing started here", ours: "base=a", theirs: "base=b reserved/1=x1", want: "base=b reserved/1=x1"},
		{name: "another base there, started in both", ours: "base=a reserved/1=x1", theirs: "base=b reserved/1=x1", want: "base=b"},
		{name: "another base there, started here", ours: "base=a reserved/1=x1", theirs: "base=b", want: "conflict base"},
		{name: "another base there, done here", ours: "base=a done/1=c", theirs: "base=b", want: "conflict base"},

		{name: "done there", theirs: "done/1=c", want: "done/1=c"},
		{name: "done here", ours: "done/1=c", want: "done/1=c"},
		{name: "done at two commits", ours: "done/1=c plan=p", theirs: "done/1=d", want: "plan=p conflict done/1"},
		{name: "the one there replaces", ours: "done/1=c", theirs: "done/1=d", log: log("done 1 x c", "done 1 x d c"), want: "done/1=d"},
		{name: "the one here replaces", ours: "done/1=d", theirs: "done/1=c", log: log("done 1 x c", "done 1 x d c"), want: "done/1=d"},
		{name: "over two rows", ours: "done/1=e", theirs: "done/1=c", log: log("done 1 x c", "done 1 x d c", "done 1 x e d"), want: "done/1=e"},
		{name: "back and forth: the last row", ours: "done/1=d", theirs: "done/1=c", log: log("done 1 x c", "done 1 x d c", "done 1 x c d"), want: "done/1=c"},
		{name: "another stage's row", ours: "done/1=c", theirs: "done/1=d", log: log("done 2 x d c"), want: "conflict done/1"},
		{name: "reopened here", theirs: "done/1=c", log: log("done 1 x c", "reopened 1"), want: "-done/1"},
		{name: "reopened there", ours: "done/1=c", log: log("done 1 x c", "reopened 1"), want: "-done/1"},
		{name: "reopened and done again", theirs: "done/1=d", log: log("done 1 x c", "reopened 1", "done 1 y d"), want: "done/1=d"},

		{name: "claimed here", ours: "reserved/1=x1", own: "x1", want: "reserved/1=x1"},
		{name: "claimed there", theirs: "reserved/1=x1", want: "reserved/1=x1"},
		{name: "the same on both sides", ours: "reserved/1=x1", theirs: "reserved/1=x1"},
		{name: "claimed on both sides: the remote's holds", ours: "reserved/1=x1", theirs: "reserved/1=y1", own: "x1", log: log("started 1 x", "started 1 y"), want: "reserved/1=y1 lost 1"},
		{name: "and it was seen there before", ours: "reserved/1=x1", theirs: "reserved/1=y1", base: "reserved/1=y1", want: "reserved/1=y1 lost 1"},
		{name: "ended here", theirs: "reserved/1=x1", base: "reserved/1=x1", log: log("started 1 x", "released 1 x"), want: "-reserved/1"},
		{name: "lacking here, and nobody ended it", theirs: "reserved/1=x1", base: "reserved/1=x1", log: log("started 1 x"), want: "reserved/1=x1"},
		{name: "released there", ours: "reserved/1=x1", log: log("started 1 x", "released 1 x"), want: "-reserved/1"},
		{name: "released and taken up again", ours: "reserved/1=x1", log: log("started 1 x", "released 1 x", "started 1 x"), want: "reserved/1=x1"},
		{name: "gone there without a row", ours: "reserved/1=x1", theirs: "plan=p", base: "reserved/1=x1", log: log("started 1 x"), want: "plan=p -reserved/1 lost 1"},
		{name: "a remote that is new", ours: "reserved/1=x1", base: "reserved/1=x1", log: log("started 1 x"), want: "reserved/1=x1"},
		{name: "ended there and claimed anew", ours: "reserved/1=x1", theirs: "reserved/1=y1", log: log("released 1 x", "started 1 y"), want: "reserved/1=y1"},
		{name: "ended here and claimed anew", ours: "reserved/1=y1", theirs: "reserved/1=x1", log: log("released 1 x", "started 1 y"), want: "reserved/1=y1"},
		{name: "both ended", ours: "reserved/1=x1", theirs: "reserved/1=y1", log: log("released 1 x", "released 1 y"), want: "-reserved/1"},
		{name: "renewed here", ours: "reserved/1=x2", theirs: "reserved/1=x1", base: "reserved/1=x1", own: "x1 x2", want: "reserved/1=x2"},
		{name: "renewed there", ours: "reserved/1=x1", theirs: "reserved/1=x2", base: "reserved/1=x1", want: "reserved/1=x2"},
		{name: "taken over here", ours: "reserved/1=y1", theirs: "reserved/1=x1", log: log("started 1 x", "taken-over 1 y"), want: "reserved/1=y1"},
		{name: "taken over there", ours: "reserved/1=x1", theirs: "reserved/1=y1", own: "x1", log: log("started 1 x", "taken-over 1 y"), want: "reserved/1=y1 told 1"},
		{name: "taken over there, renewed here", ours: "reserved/1=x2", theirs: "reserved/1=y1", base: "reserved/1=x1", own: "x1 x2", log: log("started 1 x", "taken-over 1 y"), want: "reserved/1=y1 told 1"},
		{name: "taken over here, as it was seen", ours: "reserved/1=y1", theirs: "reserved/1=x1", own: "x1 y1", log: log("started 1 x", "taken-over 1 y"), want: "reserved/1=y1"},
		{name: "taken over here, renewed there", ours: "reserved/1=y1", theirs: "reserved/1=x2", own: "x1 y1", log: log("started 1 x", "taken-over 1 y"), want: "reserved/1=x2 late 1"},
		{name: "and that takeover is known at the remote", ours: "reserved/1=y1", theirs: "reserved/1=x2", base: "reserved/1=y1", own: "x1 y1", log: log("started 1 x", "taken-over 1 y"), want: "reserved/1=y1"},
		{name: "taken over on both sides", ours: "reserved/1=y1", theirs: "reserved/1=z1", own: "x1 y1", log: log("started 1 x", "taken-over 1 z", "taken-over 1 y"), want: "reserved/1=z1 late 1"},
		{name: "in the other order", ours: "reserved/1=y1", theirs: "reserved/1=z1", own: "x1 y1", log: log("started 1 x", "taken-over 1 y", "taken-over 1 z"), want: "reserved/1=z1 told 1"},
		{name: "taken back", ours: "reserved/1=x1", theirs: "reserved/1=x2", log: log("started 1 x", "taken-over 1 y", "taken-over 1 x"), want: "reserved/1=x2"},
		{name: "a takeover that was given back", ours: "reserved/1=x1", log: log("started 1 x", "taken-over 1 y", "released 1 y"), want: "-reserved/1"},
		{name: "done there by that claim", ours: "reserved/1=x1", theirs: "done/1=c", log: log("done 1 x c"), want: "done/1=c -reserved/1"},
		{name: "done there by another", ours: "reserved/1=x1", theirs: "done/1=c", log: log("started 1 x", "done 1 y c"), want: "done/1=c -reserved/1 lost 1"},
		{name: "its done row came first", theirs: "reserved/1=x1", log: log("started 1 x", "done 1 x c"), want: "reserved/1=x1"},
		{name: "its done row was lost to another claim", ours: "reserved/1=x1", theirs: "reserved/1=y1", log: log("done 1 x c", "started 1 y"), want: "reserved/1=y1"},
		{name: "done and reopened", theirs: "reserved/1=x1", log: log("done 1 x c", "reopened 1"), want: "-reserved/1"},
		{name: "done here, and still held there", ours: "done/1=c", theirs: "reserved/1=x1", log: log("done 1 x c"), want: "done/1=c -reserved/1"},
		{name: "done on both sides, a left-over", ours: "done/1=c reserved/1=x1", theirs: "done/1=c reserved/1=x1", log: log("done 1 x c"), want: "-reserved/1"},
		{name: "names of a later version", ours: "later/1=c", theirs: "reserved/x=c done/01=c"},
	} {
		out, err := merge(sideOf(c.ours), sideOf(c.theirs), sideOf(c.base), facts{order: c.order, own: c.own, log: c.log})
		if got := told(out); err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}

// TestMergeIsSettled: what the table decides is what it finds next time.
func TestMergeIsSettled(t *testing.T) {
	t.Parallel()
	values := []string{"", "reserved/1=x1", "reserved/1=y1", "done/1=c", "done/1=c reserved/1=x1"}
	logs := []history{nil, log("started 1 x"), log("started 1 x", "started 1 y"), log("started 1 x", "done 1 x c"), log("started 1 y", "released 1 y")}
	for _, ours := range values {
		for _, theirs := range values {
			for _, base := range values {
				for _, l := range logs {
					o, s, k := sideOf(ours), sideOf(theirs), facts{log: l}
					out, err := merge(o, s, sideOf(base), k)
					if err != nil {
						t.Fatal(err)
					}
					apply(o, out)
					apply(s, out)
					for range out.losses { // each has its row from now on
						k.log = append(slices.Clone(k.log), log("released 1 "+k.claim(out.losses[0].tag))...)
					}
					if again, err := merge(o, s, s, k); err != nil || told(again) != "" {
						t.Errorf("%q, %q, base %q: %q, then %q, %v", ours, theirs, base, told(out), told(again), err)
					}
				}
			}
		}
	}
}

// apply carries the decisions out on one side.
func apply(s *side, out outcome) {
	for _, m := range out.moves {
		s.take(m.what, m.want)
		if m.want == "" {
			switch {
			case strings.HasPrefix(m.what, "done/"):
				delete(s.done, m.stage)
			case strings.HasPrefix(m.what, "reserved/"):
				delete(s.reserved, m.stage)
			}
		}
	}
}
