package rules

import (
	"fmt"
	"strconv"
	"sync"

	"github.com/Masterminds/semver/v3"

	"git-okstra/plan"
)

// Newest is the newest okstra release whose rules are known; it judges plans
// that name none.
const Newest = "0.100.0"

// Oldest is the first release with rules about stages.
const Oldest = "0.35.0"

// ruleset is one release and what follows from it.
type ruleset struct {
	name    string          // as written
	version *semver.Version // without pre-release: it sorts as its release
	number  string          // of the Stage Map's heading, which also begins those of the stages
}

func newRuleset(name string) (ruleset, error) {
	v, err := semver.StrictNewVersion(name)
	if err != nil {
		return ruleset{}, err
	}
	s := ruleset{name, semver.New(v.Major(), v.Minor(), v.Patch(), "", ""), "5.5"}
	if satisfies(s.version, "<0.50.0") {
		s.number = "4.5"
	}
	return s, nil
}

func (s ruleset) inForce(r Rule) bool { return satisfies(s.version, r.Constraint) }

// InForce reports whether the rule is in force in a release. Errors: the release is
// no semver version.
func (r Rule) InForce(release string) (bool, error) {
	s, err := newRuleset(release)
	if err != nil {
		return false, fmt.Errorf("release %q is no version: %w", release, err)
	}
	return s.inForce(r), nil
}

// Variant is something that is not a rule and differs between releases.
type Variant struct{ What, Constraint, Value string }

// Variants lists them.
func Variants() []Variant {
	return []Variant{
		{"heading number", "<0.50.0", "4.5"},
		{"heading number", ">=0.50.0", "5.5"},
		{"last chapter", "<0.56.1", partApproval},
		{"last chapter", ">=0.56.1", partCoverage},
		{"step cap", "<0.100.0", strconv.Itoa(oldCap)},
		{"step cap", ">=0.100.0", strconv.Itoa(newCap)},
	}
}

const (
	oldCap = 6
	newCap = 8
)

// stepCap is the largest number of effective steps in a stage.
func (s ruleset) stepCap() int {
	if satisfies(s.version, "<0.100.0") {
		return oldCap
	}
	return newCap
}

// clarifications is the number of the chapter of open questions.
func (s ruleset) clarifications() string {
	if satisfies(s.version, "<0.50.0") {
		return "5."
	}
	return "1."
}

// headings are the words that each must stand in a heading.
func (s ruleset) headings() []string {
	last := partCoverage
	if satisfies(s.version, "<0.56.1") {
		last = partApproval
	}
	return []string{
		partOptions, "Trade-off", "Recommended Option", "Stage Map", partContract, partValidation,
		"Dependency", "Validation Checklist", "Rollback", last,
	}
}

// constraints holds each constraint that was asked for, parsed once. A command
// that checks no plan does not pay for it.
var constraints sync.Map // string → *semver.Constraints

// mustConstraint panics on a constraint that is wrong in our own source.
func mustConstraint(s string) *semver.Constraints {
	c, err := semver.NewConstraint(s)
	if err != nil {
		panic(fmt.Sprintf("constraint %q: %v", s, err))
	}
	return c
}

func satisfies(v *semver.Version, constraint string) bool {
	c, ok := constraints.Load(constraint)
	if !ok {
		c, _ = constraints.LoadOrStore(constraint, mustConstraint(constraint))
	}
	return c.(*semver.Constraints).Check(v)
}

// source is one place that may name a release.
type source struct {
	what, name string
	pos        plan.Position
}

// chooseRuleset asks the sources in turn: the flag, the front matter, the
// configuration; a name that is no version is a finding and the next is asked.
func (c *checker) chooseRuleset() ruleset {
	head := plan.Position{Line: 1, Column: 1}
	sources := []source{
		{"--ruleset", c.opts.Ruleset, head},
		{"okstra", c.doc.FrontMatter.Okstra.Text, c.doc.FrontMatter.Okstra.Pos},
		{"the git config okstra.ruleset", c.opts.ConfigRuleset, head},
	}
	for _, s := range sources {
		if s.name == "" {
			continue
		}
		set, err := newRuleset(s.name)
		if err != nil {
			c.badRuleset(s, "is no version", "write a release of okstra with three numbers, such as "+Newest)
			continue
		}
		if satisfies(set.version, "<"+Oldest) {
			c.badRuleset(s, "is older than "+Oldest+", the first release with stage rules",
				"name the release that the plan follows, or leave it out for "+Newest)
		}
		return set
	}
	set, _ := newRuleset(Newest) // a constant that a test parses
	return set
}

func (c *checker) badRuleset(s source, wrong, hint string) {
	c.add(Finding{
		Code: plan.CodeFrontMatter, Severity: Error, Pos: s.pos,
		Message: s.what + " names the release " + plan.Quote(s.name) + ", which " + wrong, Hint: hint,
	})
}
