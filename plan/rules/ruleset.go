package rules

import (
	"fmt"

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

// stepCap is the largest number of effective steps in a stage.
func (s ruleset) stepCap() int {
	if satisfies(s.version, "<0.100.0") {
		return 6
	}
	return 8
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
	last := "Requirement Coverage"
	if satisfies(s.version, "<0.56.1") {
		last = "User Approval Request"
	}
	return []string{
		partOptions, "Trade-off", "Recommended Option", "Stage Map", partContract, partValidation,
		"Dependency", "Validation Checklist", "Rollback", last,
	}
}

// constraints holds each constraint of the table parsed once.
var constraints = map[string]*semver.Constraints{}

func init() {
	for _, s := range []string{"<0.50.0", "<0.56.1", "<0.100.0", "<" + Oldest} {
		constraints[s] = mustConstraint(s)
	}
	for _, r := range table {
		constraints[r.Constraint] = mustConstraint(r.Constraint)
	}
}

// mustConstraint panics on a constraint that is wrong in our own source.
func mustConstraint(s string) *semver.Constraints {
	c, err := semver.NewConstraint(s)
	if err != nil {
		panic(fmt.Sprintf("constraint %q: %v", s, err))
	}
	return c
}

func satisfies(v *semver.Version, constraint string) bool { return constraints[constraint].Check(v) }

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
