package rules

// lessons explain every code of the table, in its order.
var lessons = []lesson{
	{
		code: "P1",
		why: "A plan is UTF-8 text of at most 16 MiB. A file with other bytes, or with a NUL byte, may be read differently by each program that opens it, " +
			"so nothing else is said about it.",
		changes: change("Revert the stages", "Revert\x00the stages"), shown: "(a NUL byte between two words)",
	},
	{
		code: "P2",
		why: "Approval, task identity and ruleset are read from the front matter. A value of the wrong type there would be guessed at: " +
			"yes, for one, is a word in YAML and not the value true.",
		changes: change("approved: true", "approved: yes"),
	},
	{
		code: "P3",
		why: "Each chapter answers a question that a reviewer asks. Its English words must stand in a heading, so that people and tools find it; " +
			"a translation may follow them.",
		changes: change("### Rollback", "### 되돌리기"),
	},
	{
		code: "P4",
		why:  "A recommendation is one only if something else was considered, down to the files: at least two options, each with a line Create:, Modify: or Delete:.",
		changes: change("- Modify: web/cart.ts:1-80 — read them from the page\n- Delete: web/prices.json — no longer used\n",
			"- the page's own script\n"),
	},
	{
		code:    "P5",
		why:     "The plan's body is judged by others before it is approved. A blocked or aborted verification rejects the plan; one that is missing is a warning.",
		changes: change("Gate result: passed-with-dissent", "Gate result: blocked-by-disagreement"),
	},
	{
		code: "P6",
		why: "Where most judges disagree, the objection becomes a question that blocks approval, and the verdict names it. Without that row it would be lost. " +
			"The other way round, such a row that no verdict names is a warning.",
		changes: change("| C-2 | May a price be negative? | decision | approval | resolved |\n", ""), shown: "(the row C-2 is missing)",
	},
	{
		code: "P7",
		why: "A question that blocks approval must be resolved or obsolete before the plan is approved. Answered is not enough: the answer has yet to be worked into the plan. " +
			"A check warns of it, approval refuses.",
		changes: change("| approval | resolved |", "| approval | answered |"), opts: Options{Approval: true},
	},
	{
		code: "P8",
		why: "Stages of different projects look independent and often are not: one may need the other's release. With two or more [project] tags the plan says for each pair " +
			"whether they may run together.",
		changes: change("Cross-project parallelism: api ↔ web: stages 1 and 2 run together", "Cross-project parallelism: single project"),
	},
	{
		code:    "P9",
		why:     "A stage is the work of one project. Where the projects' folders are configured, a stage with files of two of them is a warning: split it.",
		changes: change("- `api/price.go`\n", "- `api/price.go`\n- `web/price.ts`\n"),
		opts:    Options{ProjectRoots: map[string]string{"api": "api", "web": "web"}},
	},
	{
		code: "S1",
		why: "Every rule about stages starts from the Stage Map. A row that an empty line or a missing cell keeps out of the table would be dropped without a word, " +
			"and so would everything in a second map.",
		changes: change("| web/tag.ts |\n| 3 | [web] cart |", "| web/tag.ts |\n\n| 3 | [web] cart |"),
	},
	{
		code: "S2",
		why:  "A stage's number is its name in branches and refs, so the rows carry 1, 2, 3 … without gap or repetition.",
		changes: [][2]string{
			{"| 3 | [web] cart |", "| 4 | [web] cart |"},
			{"## 5.5.3 Stage 3: [web] cart", "## 5.5.4 Stage 4: [web] cart"},
			{"Conformance tests: stage-3 — qa/scripts/stage-3.sh", "Conformance tests: stage-4 — qa/scripts/stage-4.sh"},
		},
	},
	{
		code:    "S3",
		why:     "Each row has one section, and each section a row: without it a stage has no steps and no contract. A title that differs is a warning.",
		changes: change("## 5.5.2 Stage 2: [web] price tag", "## 5.5.2 Step 2: [web] price tag"),
	},
	{
		code:    "S4",
		why:     "What a stage takes over, does, leaves behind and proves is read from four headings of level 3.",
		changes: change("### Carry-In\n", "**Carry-In**\n"),
	},
	{
		code: "S5",
		why:  "A stage is one sitting's work: at most eight steps, before 0.100.0 six. A longer one is two stages.",
		changes: [][2]string{
			{"| (none) | 2 | api/price.go |", "| (none) | 9 | api/price.go |"},
			{"| 2 | GREEN: write it | api/price.go | `go test ./api` | PASS |\n", "| 2 | GREEN: write it | api/price.go | `go test ./api` | PASS |\n| 3 | next | | | |\n| 4 | next | | | |\n| 5 | next | | | |\n| 6 | next | | | |\n| 7 | next | | | |\n| 8 | next | | | |\n| 9 | next | | | |\n"},
		},
	},
	{
		code:    "S6",
		why:     "The order of work is computed from depends-on: (none), or stage numbers of this map separated by commas. Prose cannot be followed.",
		changes: change("| 3 | [web] cart | 1, 2 |", "| 3 | [web] cart | 1 and 2 |"),
	},
	{
		code:    "S7",
		why:     "The count in the map and the table of steps are written at different times. Where they differ, one of them is out of date.",
		changes: change("| (none) | 2 | api/price.go |", "| (none) | 3 | api/price.go |"),
	},
	{
		code:    "S8",
		why:     "Stages that depend on each other in a circle, or on themselves, could never start.",
		changes: change("| 1 | [api] price endpoint | (none) |", "| 1 | [api] price endpoint | 3 |"),
	},
	{
		code: "S9",
		why: "Stages that nothing orders run at the same time, each in its own worktree. If both change a file, the second one to land has a conflict: an error between two stages " +
			"that depend on nothing, else a warning.",
		changes: change("- `web/tag.ts`\n", "- `web/tag.ts`\n- `api/price.go`\n"),
	},
	{
		code:    "S10a",
		why:     "A stage is a slice that somebody gains from by itself. Who and what stands in one line; a placeholder does not count.",
		changes: change("Slice value: a shopper sees the current price", "Slice value: TBD"),
	},
	{
		code:    "S10b",
		why:     "The acceptance is what anyone can look at to see that the stage is done.",
		changes: change("Acceptance: GET /price answers 200 with the stored price\n\n", ""), shown: "(the line Acceptance: is missing)",
	},
	{
		code: "S10c",
		why: "A test that never failed proves nothing: the first step's action begins with RED:, a later one's with GREEN:. Work without tests says so with " +
			"TDD exemption: and a reason.",
		changes: change("| 1 | RED: test the endpoint |", "| 1 | test the endpoint |"),
	},
	{
		code:    "S10d",
		why:     "Code breaks at its edges: each stage names a case of success, one at the boundary and one of failure. N/A is none.",
		changes: change("- Test case (boundary): a price of zero", "- Test case (boundary): N/A"),
	},
	{
		code: "S11",
		why: "What a stage's change touches is held against this one line: tests with the surfaces that they need, of db, io, http and external, or an exemption with its reason. " +
			"Exactly one of the two.",
		changes: change("(requires=[db,http])", "(requires=[database])"),
	},
}
