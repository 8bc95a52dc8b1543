package verdict

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"git-okstra/plan"
)

// Mode is what files that the plan does not name do: okstra.outOfPlan.
type Mode string

// The modes.
const (
	ModeNotice Mode = "notice"
	ModeBlock  Mode = "block"
)

// ParseMode reads okstra.outOfPlan; "" is a notice.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case "":
		return ModeNotice, nil
	case ModeNotice, ModeBlock:
		return m, nil
	}
	return "", fmt.Errorf("okstra.outOfPlan is %s, and can be %s or %s", plan.Quote(s), ModeNotice, ModeBlock)
}

// Trailer is the key of the trailer that explains a file.
const Trailer = "Out-of-plan"

// Unplanned is a changed file that a stage's Exit Contract and step table do not name.
type Unplanned struct {
	Path   string
	Reason string // of a commit's trailer, "" for none
}

// dividers stand between path and reason in a trailer's value, the surest first: a path
// may have a hyphen of its own.
var dividers = []string{" — ", " – ", " -- ", " - "}

// ParseTrailer reads the value of a trailer, "<path> — <reason>"; an en dash and one or
// two hyphens stand for the dash too. ok is false where one of the two is missing.
func ParseTrailer(value string) (u Unplanned, ok bool) {
	for _, d := range dividers {
		head, rest, found := strings.Cut(value, d)
		if !found {
			continue
		}
		u = Unplanned{Path: strings.Trim(strings.TrimSpace(head), "`\""), Reason: strings.TrimSpace(rest)}
		if u.Path == "" || u.Reason == "" {
			return Unplanned{}, false
		}
		u.Path = path.Clean(u.Path)
		return u, true
	}
	return Unplanned{}, false
}

// Outside lists the changed paths that are not named, in order, each once. A name that is
// a folder stands for what lies below it; * and ? in a name stand for what they do in a
// shell, and a last ** for everything below. trailers are values of the trailer in the
// commits of the change; of several for one path the last counts.
func Outside(changed, named, trailers []string) []Unplanned {
	reasons := map[string]string{}
	for _, value := range trailers {
		if u, ok := ParseTrailer(value); ok {
			reasons[u.Path] = u.Reason
		}
	}
	var out []Unplanned
	for _, p := range slices.Compact(slices.Sorted(slices.Values(changed))) {
		if !slices.ContainsFunc(named, func(name string) bool { return names(name, p) }) {
			out = append(out, Unplanned{Path: p, Reason: reasons[p]})
		}
	}
	return out
}

// names reports whether a name in the plan stands for a path.
func names(name, p string) bool {
	name = path.Clean(name)
	if name == p || name != "." && strings.HasPrefix(p, name+"/") {
		return true
	}
	if folder, all := strings.CutSuffix(name, "/**"); all {
		return strings.HasPrefix(p, folder+"/")
	}
	if !strings.ContainsAny(name, "*?") {
		return false
	}
	fits, err := path.Match(name, p)
	return err == nil && fits
}

// reason is what the file does to a verdict.
func (u Unplanned) reason(n plan.StageNumber, mode Mode) Reason {
	r := Reason{Code: CodeUnplanned, Level: Notice, Path: u.Path}
	r.Message = fmt.Sprintf("%s is not named in Exit Contract or steps of stage %d", plan.Quote(u.Path), n)
	if u.Reason != "" {
		r.Message += ": " + plan.Quote(u.Reason)
		return r
	}
	r.Hint = fmt.Sprintf("name it in the plan, or say why in a commit's trailer: %s: %s — REASON", Trailer, plan.Printable(u.Path))
	if mode == ModeBlock {
		r.Level = Block
	}
	return r
}
