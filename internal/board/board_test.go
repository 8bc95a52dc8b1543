package board

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"git-okstra/internal/report"
	"git-okstra/plan"
)

const evil = `</script><script>alert(1)</script>"' onload=x <b>{{.}}` + "\x1b[31m\u202e"

// sample is a board of n stages in rows of ten, each after one of the row before.
func sample(n int, text string) Board {
	b := Board{Task: "p:g:T" + text, Title: text, File: "plan.md" + text, Revision: "abec819d4aa2", Onto: "main", MadeAt: "2026-01-02T03:04:05Z"}
	states := []string{"done", "active", "ready", "blocked"}
	for i := 1; i <= n; i++ {
		s := Stage{StageShow: report.StageShow{StageLine: report.StageLine{
			Stage: plan.StageNumber(i), Title: fmt.Sprint("part ", i, " ", text), State: states[i*4/(n+1)], Branch: "feat" + text,
			Holder: &report.Holder{By: text, Since: text},
		}}}
		if i > 10 {
			s.DependsOn = []plan.StageNumber{plan.StageNumber(i - 10)}
		}
		s.Contract, s.Section, s.Carry = "- `x`\n"+text, "## 1\n"+text, json.RawMessage(`{"notes":["`+"n"+`"]}`)
		s.Results = []json.RawMessage{json.RawMessage(text)}
		s.Commits = []report.ShowCommit{{Commit: "abcdef", Subject: text}}
		s.FilesChanged, s.History = []string{text}, [][]string{{text, text}}
		s.Declared = Declared{Kind: "exemption", Reason: text}
		b.Stages = append(b.Stages, s)
		b.Events = append(b.Events,
			Event{s.Stage, uint64(i), "2026-01-01T00:00:00Z", "started", text},
			Event{s.Stage, uint64(i), "2026-01-01T12:00:00Z", "done", text})
	}
	return New(b)
}

func page(t *testing.T, b Board, refresh int) string {
	t.Helper()
	data, err := HTML(b, refresh)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestHostile: foreign text becomes no tag, attribute, style, script or address anywhere.
func TestHostile(t *testing.T) {
	t.Parallel()
	tags := regexp.MustCompile(`<[!/a-zA-Z][^>]*>`)
	strip := func(text string) []string { // the page's tags, with attribute values left out
		list := tags.FindAllString(text, -1)
		for i, tag := range list {
			list[i] = regexp.MustCompile(`="[^"]*"`).ReplaceAllString(tag, "")
		}
		return list
	}
	calm, hostile := page(t, sample(12, "x"), 0), page(t, sample(12, evil), 0)
	if a, b := fmt.Sprint(strip(calm)), fmt.Sprint(strip(hostile)); a != b {
		t.Errorf("tags differ:\n%s\n%s", a, b)
	}
	if strings.ContainsAny(hostile, "\x1b\u202e") {
		t.Error("control characters are in the page")
	}
	for _, m := range regexp.MustCompile(`(?:href|src|action)="([^"]*)"`).FindAllStringSubmatch(hostile, -1) {
		if !strings.HasPrefix(m[1], "#stage") {
			t.Errorf("leads out: %q", m[1])
		}
	}
	for _, tag := range strip(hostile) {
		if regexp.MustCompile(` (on\w+|style)\b`).MatchString(tag) {
			t.Errorf("inline: %q", tag)
		}
	}
}

// TestPolicy: the policy names the very style and script that are in the page.
func TestPolicy(t *testing.T) {
	t.Parallel()
	text := page(t, sample(2, "x"), 0)
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)[1])
	for _, tag := range []string{"style", "script"} {
		body := regexp.MustCompile(`(?s)<` + tag + `>(.*)</` + tag + `>`).FindStringSubmatch(text)[1]
		if !strings.Contains(policy, tag+"-src '"+digest(body)+"'") {
			t.Errorf("%s is not what the policy allows: %s", tag, policy)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("policy %q", policy)
	}
	if strings.Contains(text, `http-equiv="refresh"`) {
		t.Error("a page that is not watched reloads itself")
	}
	if !strings.Contains(page(t, sample(2, "x"), 2), `<meta http-equiv="refresh" content="2">`) {
		t.Error("a watched page does not reload itself")
	}
}

// TestParts: each part of a stage is on the page, and the counts are right.
func TestParts(t *testing.T) {
	t.Parallel()
	b := sample(7, "한글")
	if b.Counts != (Counts{Done: 1, Active: 2, Ready: 2, Blocked: 2}) {
		t.Errorf("%+v", b.Counts)
	}
	text := page(t, b, 0)
	for _, want := range []string{
		"exit contract", "commits", "files", "evidence", "results", "rows", "plan", "exemption: 한글", "feat한글", `id="stage-7"`, "● done", "◐ active", "○ ready", "· blocked",
		"<header>", "<main>", `role="region"`, `<th scope="col">state</th>`, "plan.md한글 at abec819d4a ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if _, err := HTML(Board{MadeAt: "today"}, 0); err == nil {
		t.Error("a time that is none is taken")
	}
}

// TestSVG: a picture is well-formed XML, whatever the titles say.
func TestSVG(t *testing.T) {
	t.Parallel()
	for _, g := range []report.Graph{{}, sample(30, evil).graph(), {Task: evil, Stages: []report.GraphStage{{Stage: 1, Title: "a", DependsOn: []plan.StageNumber{1, 9}}}}} {
		text, err := SVG(g)
		if err != nil {
			t.Fatal(err)
		}
		dec := xml.NewDecoder(strings.NewReader(text))
		for nodes := 0; ; {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				if nodes != len(g.Stages) {
					t.Errorf("%d stages drawn of %d", nodes, len(g.Stages))
				}
				break
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if start, ok := token.(xml.StartElement); ok {
				for _, a := range start.Attr {
					if strings.HasPrefix(a.Value, "node") {
						nodes++
					}
				}
				if start.Name.Local == "script" {
					t.Error("a script")
				}
			}
		}
	}
}

// TestLayout: every stage has its own place, right of those that it depends on.
func TestLayout(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var g report.Graph
		for i := range rapid.IntRange(0, 40).Draw(t, "stages") {
			s := report.GraphStage{Stage: plan.StageNumber(i + 1)}
			for _, d := range rapid.SliceOfN(rapid.IntRange(0, max(0, i-1)), 0, 3).Draw(t, "deps") {
				s.DependsOn = append(s.DependsOn, plan.StageNumber(d+1))
			}
			if i == 0 {
				s.DependsOn = nil
			}
			g.Stages = append(g.Stages, s)
		}
		l := lay(g)
		at, taken := map[plan.StageNumber]node{}, map[[2]int]bool{}
		for _, n := range l.Nodes {
			if taken[[2]int{n.X, n.Y}] || n.X+nodeWide > l.Wide || n.Y+nodeHigh > l.High {
				t.Fatalf("stage %d is at %d, %d of %d, %d", n.Stage, n.X, n.Y, l.Wide, l.High)
			}
			at[n.Stage], taken[[2]int{n.X, n.Y}] = n, true
		}
		if len(at) != len(g.Stages) {
			t.Fatalf("%d of %d stages", len(at), len(g.Stages))
		}
		for _, s := range g.Stages {
			for _, d := range s.DependsOn {
				if at[d].X >= at[s.Stage].X {
					t.Fatalf("stage %d is not right of %d", s.Stage, d)
				}
			}
		}
	})
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	now := sampleTime(t, "2026-01-03T00:00:00Z")
	for name, c := range map[string]struct {
		events string
		want   string
	}{
		"done":       {"1 01 started, 1 02 done", "done 90+450"},
		"active":     {"1 01 started", "active 90+900"},
		"released":   {"1 01 started, 1 02 released, 1 02 started", "released 90+450; active 540+450"},
		"taken over": {"1 01 started, 1 02 taken-over, 1 03 done", "taken-over 90+450; done 540+450"},
		"imported":   {"1 01 done", "done 90+3"},
		"others":     {"1 01 revised, 0 01 done", ""},
		"no time":    {"1 xx started", ""},
	} {
		var events []Event
		for e := range strings.SplitSeq(c.events, ", ") {
			var ev Event
			var day string
			_, _ = fmt.Sscan(e, &ev.Stage, &day, &ev.Status)
			ev.At = "2026-01-" + day + "T00:00:00Z"
			events = append(events, ev)
		}
		var got []string
		for _, b := range timelineOf(events, now).Bars {
			got = append(got, fmt.Sprintf("%s %d+%d", b.How, b.X, b.Wide))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}

// TestTimelineEnds: the ends of a time of seconds are told apart.
func TestTimelineEnds(t *testing.T) {
	t.Parallel()
	at := func(start string) (from, to string) {
		line := timelineOf([]Event{{Stage: 1, At: start, Status: "started"}}, sampleTime(t, "2026-01-03T10:00:40Z"))
		return line.From, line.To
	}
	if from, to := at("2026-01-03T10:00:09Z"); from != "2026-01-03 10:00:09Z" || to != "2026-01-03 10:00:40Z" {
		t.Errorf("%s to %s", from, to)
	}
	if from, to := at("2026-01-02T10:00:09Z"); from != "2026-01-02 10:00Z" || to != "2026-01-03 10:00Z" {
		t.Errorf("%s to %s", from, to)
	}
}
