package rules

import "git-okstra/plan"

// Rule is one line of the rule table.
type Rule struct {
	Code       string
	Severity   Severity
	Constraint string // semver constraint on the okstra release
	Title      string // what is broken
	Reason     string // why it matters, one line

	stages bool // needs a usable Stage Map
	run    func(*checker)
}

const (
	always     = ">=0.0.0"
	sinceMap   = ">=" + Oldest
	sinceFiles = ">=0.46.0"
)

// Table lists the rules in the order in which they run. A code that warns in
// one case and rejects in another has two lines.
func Table() []Rule { return append([]Rule(nil), table...) }

var table = []Rule{
	{
		Code: "P1", Severity: Error, Constraint: always, Title: "the file cannot be read as a plan",
		Reason: "nothing can be said about bytes that are not text",
		run:    func(c *checker) { c.problems(plan.CodeUnreadable) },
	},
	{
		Code: "P2", Severity: Error, Constraint: always, Title: "the front matter is broken",
		Reason: "approval, identity and ruleset are read from it",
		run:    func(c *checker) { c.problems(plan.CodeFrontMatter) },
	},
	{
		Code: "S1", Severity: Error, Constraint: sinceMap, Title: "there is not exactly one readable Stage Map",
		Reason: "every other stage rule starts from the map",
		run:    checkMap,
	},
	{
		Code: "S2", Severity: Error, Constraint: sinceMap, Title: "the rows are not numbered 1, 2, 3 …",
		Reason: "a stage's number is its name in branches and refs",
		stages: true, run: checkNumbers,
	},
	{
		Code: "S3", Severity: Error, Constraint: sinceMap, Title: "map and stage sections do not match",
		Reason: "a stage without its section has no steps and no contract",
		stages: true, run: checkSections,
	},
	{
		Code: "S3", Severity: Warning, Constraint: sinceMap, Title: "a section's title differs from the map's",
		Reason: "one of the two may speak of another stage",
		stages: true, run: checkTitles,
	},
	{
		Code: "S4", Severity: Error, Constraint: sinceMap, Title: "a stage section lacks one of its parts",
		Reason: "work, contract and validation are read from them",
		stages: true, run: checkParts,
	},
	{
		Code: "S5", Severity: Error, Constraint: sinceMap, Title: "a stage has too many steps",
		Reason: "a stage is one sitting's work",
		stages: true, run: checkCap,
	},
	{
		Code: "S6", Severity: Error, Constraint: sinceMap, Title: "depends-on is not a list of stages of the map",
		Reason: "the order of work is computed from it",
		stages: true, run: checkDependencies,
	},
	{
		Code: "S7", Severity: Error, Constraint: sinceMap, Title: "step-count is not the number of steps",
		Reason: "a difference means that map or section is out of date",
		stages: true, run: checkCount,
	},
	{
		Code: "S8", Severity: Error, Constraint: sinceMap, Title: "stages depend on each other in a circle",
		Reason: "none of them could ever start",
		stages: true, run: checkCycles,
	},
	{
		Code: "S9", Severity: Error, Constraint: sinceFiles, Title: "two stages without dependencies name the same file",
		Reason: "they start at the same time and would collide",
		stages: true, run: checkIndependent,
	},
	{
		Code: "S9", Severity: Warning, Constraint: sinceFiles, Title: "two stages that can run in parallel name the same file",
		Reason: "nothing orders them, so they may collide",
		stages: true, run: checkParallel,
	},
}
