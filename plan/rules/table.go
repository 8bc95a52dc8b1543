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
	sinceSlice = ">=0.52.0"
	sinceTests = ">=0.56.0"
	sinceCases = ">=0.99.0"
)

// Table lists the rules by code. A code that warns in one case and rejects in
// another has two lines.
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
		Code: "P3", Severity: Error, Constraint: always, Title: "a required heading is missing",
		Reason: "a chapter that is not there was not thought through",
		run:    checkHeadings,
	},
	{
		Code: "P4", Severity: Error, Constraint: always, Title: "there are not two options with their files",
		Reason: "a choice needs something to choose from, down to the files",
		run:    checkOptions,
	},
	{
		Code: "P5", Severity: Error, Constraint: always, Title: "the verification of the plan's body did not pass",
		Reason: "the plan's own reviewers said no, or nothing that is known",
		run:    checkGate,
	},
	{
		Code: "P5", Severity: Warning, Constraint: always, Title: "the plan's body was not verified",
		Reason: "nobody but its author has judged the plan",
		run:    checkVerified,
	},
	{
		Code: "P6", Severity: Error, Constraint: always, Title: "a rejected item has no question that blocks approval",
		Reason: "the objection would be lost",
		run:    checkDissent,
	},
	{
		Code: "P6", Severity: Warning, Constraint: always, Title: "a question that blocks approval stems from no verdict",
		Reason: "it may stem from the ambiguity check, or from a verdict that was dropped",
		run:    checkUnnamed,
	},
	{
		Code: "P7", Severity: Error, Constraint: always, Title: "at approval, a question that blocks it is open",
		Reason: "an answer must be worked into the plan before it counts",
		run:    func(c *checker) { c.openQuestions(Error, c.opts.Approval) },
	},
	{
		Code: "P7", Severity: Warning, Constraint: always, Title: "in a check, a question that blocks approval is open",
		Reason: "the plan cannot be approved yet",
		run:    func(c *checker) { c.openQuestions(Warning, !c.opts.Approval) },
	},
	{
		Code: "P8", Severity: Error, Constraint: sinceMap, Title: "projects are mixed and not every pair is judged",
		Reason: "whether two projects may be worked on at once is the author's to say",
		stages: true, run: checkProjects,
	},
	{
		Code: "P9", Severity: Warning, Constraint: sinceMap, Title: "a stage has files of more than one project",
		Reason: "a stage is one project's work",
		stages: true, run: checkRoots,
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
	{
		Code: "S10a", Severity: Error, Constraint: sinceSlice, Title: "a stage has no slice value",
		Reason: "a stage that nobody gains from is no slice",
		stages: true, run: func(c *checker) { c.demand("S10a", plan.SliceValue) },
	},
	{
		Code: "S10b", Severity: Error, Constraint: sinceSlice, Title: "a stage has no acceptance",
		Reason: "without it nobody can say when the stage is done",
		stages: true, run: func(c *checker) { c.demand("S10b", plan.Acceptance) },
	},
	{
		Code: "S10c", Severity: Error, Constraint: sinceSlice, Title: "a stage does not go from RED to GREEN",
		Reason: "a test that never failed proves nothing",
		stages: true, run: checkRedGreen,
	},
	{
		Code: "S10d", Severity: Error, Constraint: sinceCases, Title: "a stage lacks one of the three test cases",
		Reason: "success, boundary and failure are where code breaks",
		stages: true, run: checkCases,
	},
	{
		Code: "S11", Severity: Error, Constraint: sinceTests, Title: "a stage does not declare its conformance",
		Reason: "what a stage touches is held against this line",
		stages: true, run: checkConformance,
	},
}
