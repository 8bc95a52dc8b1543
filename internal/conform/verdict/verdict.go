// Package verdict judges a stage's change: what it touches, against what the plan
// declared, what was proved, and what was waived. It is pure, and one function for hooks,
// for the end of a stage, for verification and for CI, so that all of them agree. It reads
// the table of the specification of conformance, section 4.
package verdict

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"git-okstra/internal/conform"
	"git-okstra/plan"
	"git-okstra/plan/rules"
)

// Word is what a judgement comes to.
type Word string

// The words, from the best to the worst.
const (
	Pass   Word = "pass"
	Notice Word = "notice" // something to know, nothing to stop for
	Block  Word = "block"
)

// Moment is when a stage is judged. Work in progress needs no result yet.
type Moment string

// The moments. PushDone is the push of a done stage's branch or of the integration
// branch, PushWIP that of work in progress (a backup).
const (
	Done     Moment = "done"
	Verify   Moment = "verify"
	PushDone Moment = "push-done"
	PushWIP  Moment = "push-wip"
	Commit   Moment = "commit"
)

// needsProof reports whether a result must be there.
func (m Moment) needsProof() bool { return m != PushWIP && m != Commit }

// Kind is the kind of a declaration.
type Kind string

// The kinds. Undeclared is a stage of a plan whose ruleset asks for no declaration.
const (
	Undeclared Kind = ""
	Exemption  Kind = "exemption"
	Tests      Kind = "tests"
)

// Declaration is what the plan says of a stage's surfaces.
type Declaration struct {
	Kind     Kind
	Reason   string            // of an exemption
	Script   string            // of tests, as the plan names it
	Requires []conform.Surface // of tests, R of the table
}

// DeclarationOf is what an approved plan's stage declares.
func DeclarationOf(st plan.Stage) Declaration {
	d := rules.Declared(st)
	switch {
	case d.Exempt:
		return Declaration{Kind: Exemption, Reason: d.Reason}
	case !d.Tests:
		return Declaration{}
	}
	out := Declaration{Kind: Tests, Script: d.Script}
	for _, s := range d.Requires {
		out.Requires = append(out.Requires, conform.Surface(s))
	}
	return out
}

// State is what there is of results for the very tree and script that are judged.
type State string

// The states. Stale: there are results, for another tree or script alone.
const (
	NoProof State = "none"
	Stale   State = "stale"
	Failed  State = "fail"
	Proved  State = "pass"
)

// Proof is the result that counts. The zero value is none.
type Proof struct {
	State State
	Why   string // one sentence about what does not count, "" where State says it all
}

// Case is all that a judgement rests on.
type Case struct {
	Stage    plan.StageNumber
	Declared Declaration
	Touches  []conform.Touch
	Proof    Proof
	Waivers  []Waiver
	Now      time.Time // decides which waivers have expired
	Moment   Moment

	Unplanned []Unplanned // files that the plan does not name
	OutOfPlan Mode        // what they do
}

// Code names a reason for machines.
type Code string

// The codes of reasons.
const (
	CodeUndeclared     Code = "undeclared"      // the plan says nothing of the stage's surfaces
	CodeExemptTouches  Code = "exempt-touches"  // an exemption, and a surface is touched
	CodeOutsideTouches Code = "outside-touches" // a surface is touched that is not declared
	CodeNoResult       Code = "no-result"
	CodeStaleResult    Code = "stale-result"
	CodeFailedResult   Code = "failed-result"
	CodeWaived         Code = "waived"
	CodeUnplanned      Code = "out-of-plan"
)

// Codes lists all codes in the order of the table, with what each says, for lists of
// rules.
func Codes() []struct {
	Code Code
	Help string
} {
	return []struct {
		Code Code
		Help string
	}{
		{CodeUndeclared, "the plan declares nothing of the stage's surfaces"},
		{CodeExemptTouches, "an exemption cannot hide a change that touches a surface"},
		{CodeOutsideTouches, "the change touches a surface that the plan does not declare"},
		{CodeNoResult, "the stage's conformance test has not run on this tree"},
		{CodeStaleResult, "the stage's conformance test ran on another tree, or was another script"},
		{CodeFailedResult, "the stage's conformance test failed on this tree"},
		{CodeWaived, "a surface is waived"},
		{CodeUnplanned, "a changed file that Exit Contract and steps do not name"},
	}
}

// Reason is one thing that a judgement found.
type Reason struct {
	Code    Code
	Level   Word // Notice or Block
	Message string
	Hint    string            // what to do, "" where there is nothing
	Surface []conform.Surface // that it is about, in order
	Touches []conform.Touch   // that it is about
	Path    string            // of a file that the plan does not name
}

// Verdict is a judgement.
type Verdict struct {
	Word     Word
	Reasons  []Reason          // in the order of the table, files last
	Touched  []conform.Surface // by the change, waived ones among them
	Required []conform.Surface // by the declaration, waived ones among them
	Missing  []conform.Surface // touched, neither declared nor waived
	Waived   []Waiver          // those that took a surface away
}

// Judge reads the table for a case. The same case gives the same verdict.
func Judge(c Case) Verdict {
	v := Verdict{Touched: conform.Findings{Touches: c.Touches}.Surfaces(), Required: inOrder(c.Declared.Requires)}
	for _, w := range c.Waivers {
		if w.Live(c.Now) && (slices.Contains(v.Touched, w.Surface) || slices.Contains(v.Required, w.Surface)) {
			v.Waived = append(v.Waived, w)
		}
	}
	touched, required := v.without(v.Touched), v.without(v.Required)
	switch c.Declared.Kind {
	case Exemption:
		v.exempt(c, touched)
	case Tests:
		v.tests(c, touched, required)
	default:
		v.add(Reason{
			Code: CodeUndeclared, Level: Notice, Surface: touched,
			Message: fmt.Sprintf("the plan of stage %d declares nothing about surfaces%s", c.Stage, touching(touched)),
			Hint:    "add Conformance tests: or Conformance exemption: to the stage's section",
		})
	}
	for _, w := range v.Waived {
		v.add(Reason{Code: CodeWaived, Level: Notice, Surface: []conform.Surface{w.Surface}, Message: w.String()})
	}
	for _, u := range c.Unplanned {
		v.add(u.reason(c.Stage, c.OutOfPlan))
	}
	v.Word = Pass
	for _, r := range v.Reasons {
		v.Word = worse(v.Word, r.Level)
	}
	return v
}

// Blocks reports whether the verdict stops what it was asked for.
func (v Verdict) Blocks() bool { return v.Word == Block }

func (v *Verdict) add(r Reason) { v.Reasons = append(v.Reasons, r) }

// without leaves out the waived surfaces.
func (v *Verdict) without(all []conform.Surface) []conform.Surface {
	return slices.DeleteFunc(slices.Clone(all), func(s conform.Surface) bool {
		return slices.ContainsFunc(v.Waived, func(w Waiver) bool { return w.Surface == s })
	})
}

// exempt is the two rows of an exemption.
func (v *Verdict) exempt(c Case, touched []conform.Surface) {
	if len(touched) == 0 {
		return
	}
	v.Missing = touched
	v.add(Reason{
		Code: CodeExemptTouches, Level: Block, Surface: touched, Touches: of(c.Touches, touched),
		Message: fmt.Sprintf("stage %d declares a conformance exemption, and its change touches %s", c.Stage, List(touched)),
		Hint:    fmt.Sprintf("declare Conformance tests: in the plan, or waive it: git okstra conform waive %d --surface %s --why TEXT", c.Stage, touched[0]),
	})
}

// tests is the rows of declared tests.
func (v *Verdict) tests(c Case, touched, required []conform.Surface) {
	v.Missing = slices.DeleteFunc(slices.Clone(touched), func(s conform.Surface) bool { return slices.Contains(required, s) })
	if len(v.Missing) > 0 {
		v.add(Reason{
			Code: CodeOutsideTouches, Level: Block, Surface: v.Missing, Touches: of(c.Touches, v.Missing),
			Message: fmt.Sprintf("the change of stage %d touches %s, which its plan does not declare (requires=[%s])", c.Stage, List(v.Missing), Joined(v.Required)),
			Hint:    fmt.Sprintf("add it to requires= in plan and manifest, or waive it: git okstra conform waive %d --surface %s --why TEXT", c.Stage, v.Missing[0]),
		})
	}
	if len(required) == 0 || c.Proof.State == Proved {
		return
	}
	r := Reason{Level: Block, Surface: required, Hint: fmt.Sprintf("run it on this very commit: git okstra conform run %d", c.Stage)}
	if !c.Moment.needsProof() {
		r.Level = Notice
	}
	switch c.Proof.State {
	case Failed:
		r.Code, r.Message = CodeFailedResult, fmt.Sprintf("the conformance test of stage %d failed on this tree", c.Stage)
		r.Hint = fmt.Sprintf("mend it, commit, and run: git okstra conform run %d", c.Stage)
	case Stale:
		r.Code, r.Message = CodeStaleResult, fmt.Sprintf("no result of the conformance test of stage %d counts for this tree", c.Stage)
	default:
		r.Code, r.Message = CodeNoResult, fmt.Sprintf("the conformance test of stage %d has not run", c.Stage)
	}
	if c.Proof.Why != "" {
		r.Message += ": " + plan.Printable(c.Proof.Why)
	}
	v.add(r)
}

// worse is the worse of two words.
func worse(a, b Word) Word {
	order := []Word{Pass, Notice, Block}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// of leaves the touches of some surfaces.
func of(touches []conform.Touch, surfaces []conform.Surface) []conform.Touch {
	return slices.DeleteFunc(slices.Clone(touches), func(t conform.Touch) bool { return !slices.Contains(surfaces, t.Surface) })
}

// inOrder is a list of surfaces, each once, in the order in which they are shown.
func inOrder(list []conform.Surface) []conform.Surface {
	return slices.DeleteFunc(conform.Surfaces(), func(s conform.Surface) bool { return !slices.Contains(list, s) })
}

func touching(surfaces []conform.Surface) string {
	if len(surfaces) == 0 {
		return ""
	}
	return ", and its change touches " + List(surfaces)
}

// List writes surfaces for a sentence.
func List(surfaces []conform.Surface) string {
	if n := len(surfaces); n > 1 {
		return strings.ReplaceAll(Joined(surfaces[:n-1]), ",", ", ") + " and " + string(surfaces[n-1])
	}
	return Joined(surfaces)
}

// Joined writes surfaces as a requires-list has them, in order.
func Joined(surfaces []conform.Surface) string {
	var words []string
	for _, s := range inOrder(surfaces) {
		words = append(words, string(s))
	}
	return strings.Join(words, ",")
}
