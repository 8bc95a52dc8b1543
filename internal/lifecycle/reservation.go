package lifecycle

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Reservation is what the tag object behind reserved/<N> says: who holds the
// stage, since when, and where.
type Reservation struct {
	Tag      gitops.Hash // the tag object itself
	Claim    string
	By       string
	Host     string
	Pid      string
	PidStart string
	Run      string
	Branch   string // short name
	Worktree string // below the worktree root, slashes
	Base     gitops.Hash
	At       string // RFC 3339, UTC
	Broken   string // why the tag cannot be read; then nothing but Tag is known
	Kept     bool   // the branch was there before and was taken up with its commits
	Holder   string // "process": the claim ends with its process
	Clone    string // which clone it was made in, as only that clone can tell
	Lease    string // a duration from when a clone first sees the tag; "" for good
	Renewed  string // RFC 3339, UTC
	TookFrom string // the claim that was taken over, "" where the stage was free
	TookBy   string // whose it was
	TookWhy  string // why
	others   string // lines of later versions' trailers: a renewal keeps them
}

// The trailers of a reservation's tag.
const (
	tagClaim    = "Claim"
	tagBy       = "By"
	tagHost     = "Host"
	tagPid      = "Pid"
	tagPidStart = "Pid-Start"
	tagRun      = "Run"
	tagBranch   = "Branch"
	tagWorktree = "Worktree"
	tagBase     = "Base"
	tagAt       = "At"
	tagKept     = "Branch-Kept"
	tagHolder   = "Holder"
	tagClone    = "Clone"
	tagLease    = "Lease"
	tagRenewed  = "Renewed"
	tagTookFrom = "Took-From"
	tagTookBy   = "Took-By"
	tagTookWhy  = "Took-Why"
)

// fields lists the reservation's trailers and where each is kept.
func (r *Reservation) fields() []struct {
	key   string
	value *string
} {
	return []struct {
		key   string
		value *string
	}{
		{tagClaim, &r.Claim},
		{tagBy, &r.By},
		{tagHost, &r.Host},
		{tagPid, &r.Pid},
		{tagPidStart, &r.PidStart},
		{tagRun, &r.Run},
		{tagBranch, &r.Branch},
		{tagWorktree, &r.Worktree},
		{tagBase, (*string)(&r.Base)},
		{tagAt, &r.At},
		{tagHolder, &r.Holder},
		{tagClone, &r.Clone},
		{tagLease, &r.Lease},
		{tagRenewed, &r.Renewed},
		{tagTookFrom, &r.TookFrom},
		{tagTookBy, &r.TookBy},
		{tagTookWhy, &r.TookWhy},
	}
}

// tag writes the reservation as an annotated tag on the stage's base. Values with
// line breaks are folded: they cannot forge another field.
func (r *Reservation) tag(w *gitops.ObjectWriter, key plan.TaskKey, n plan.StageNumber, sig gitops.Signature) (gitops.Hash, error) {
	var trailers []gitops.Trailer
	for _, f := range r.fields() {
		if *f.value != "" {
			trailers = append(trailers, gitops.Trailer{Key: f.key, Value: *f.value})
		}
	}
	if r.Kept {
		trailers = append(trailers, gitops.Trailer{Key: tagKept, Value: "true"})
	}
	for line := range strings.Lines(r.others) {
		name, value, _ := strings.Cut(line, ": ")
		trailers = append(trailers, gitops.Trailer{Key: name, Value: value})
	}
	message, err := gitops.AppendTrailers(fmt.Sprintf("okstra: stage %d of %s is taken", n, plan.Printable(key.String())), trailers...)
	if err != nil {
		return "", err
	}
	return w.Tag(gitops.TagData{
		Target: r.Base, TargetType: gitops.TypeCommit, Tagger: sig,
		Name:    tagName(key, n),
		Message: message,
	}), nil
}

// tagName is the name inside a reservation's tag object.
func tagName(key plan.TaskKey, n plan.StageNumber) string {
	return fmt.Sprintf("okstra/%s/reserved/%d", key.Ref(), n)
}

// Reservation reads who holds a stage; ok is false where nobody does.
func (e *Engine) Reservation(ctx context.Context, t *Task, n plan.StageNumber) (r Reservation, ok bool, err error) {
	hash, held := t.Reserved[n]
	if !held {
		return Reservation{}, false, nil
	}
	r.Tag = hash
	tag, err := e.Repo.ReadTag(ctx, hash)
	if err != nil {
		// The stage is taken all the same: its state follows from the ref alone.
		r.Broken = err.Error()
		return r, true, ctx.Err()
	}
	byKey := map[string]string{}
	for _, tr := range gitops.Trailers(tag.Message) {
		byKey[tr.Key] = tr.Value
	}
	known := map[string]bool{tagKept: true}
	for _, f := range r.fields() {
		*f.value, known[f.key] = byKey[f.key], true
	}
	r.Kept = byKey[tagKept] == "true"
	for _, tr := range gitops.Trailers(tag.Message) {
		if !known[tr.Key] {
			r.others += tr.Key + ": " + tr.Value + "\n"
		}
	}
	r.Base = tag.Target
	return r, true, nil
}

// newReservation describes the caller's claim on a stage.
func (e *Engine) newReservation(base gitops.Hash, branch, worktree string) (Reservation, error) {
	claim, err := e.NewID()
	if err != nil {
		return Reservation{}, err
	}
	lease, err := e.lease()
	if err != nil {
		return Reservation{}, err
	}
	r := Reservation{
		Claim: claim, By: e.Caller.Actor, Host: e.Caller.Host, Run: e.Caller.Run,
		Pid: strconv.Itoa(e.Caller.Pid), PidStart: e.Caller.PidStart,
		Branch: branch, Worktree: worktree, Base: base, At: e.Now().UTC().Format(time.RFC3339), Clone: e.clone(),
	}
	if lease > 0 {
		r.Lease = lease.String()
	}
	if e.Caller.Process {
		r.Holder = holderProcess
	}
	return r, nil
}

// taken is the refusal that names the holder of a stage.
func taken(n plan.StageNumber, r Reservation) *Refusal {
	if r.Broken != "" {
		return refuse(Taken, fmt.Sprintf("give it back with: git okstra stage release %d", n),
			"stage %d is taken, but its reservation cannot be read: %s", n, plan.Printable(r.Broken))
	}
	return refuse(Taken, "see it with: git okstra stage list", "stage %d is taken by %s since %s on host %s%s",
		n, plan.Printable(r.By), plan.Printable(r.At), plan.Printable(r.Host), runNote(r.Run))
}

func runNote(run string) string {
	if run == "" {
		return ""
	}
	return " (run " + plan.Printable(run) + ")"
}
