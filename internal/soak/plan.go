package main

import (
	"fmt"
	"strings"
)

const planHead = `---
okstra: 0.100.0
project: soak
group: load
task: task
category: feature
---
# Final report: revision %d

## 1. Clarification Items

| ID | Question | Kind | Blocks | Status | Answer |
|----|----------|------|--------|--------|--------|
| C-1 | Many at once? | decision | progress | resolved | Yes. |

## 5.4 Implementation Plan Deliverables

### Option Candidates

#### Option A: one file a stage

File Structure:
- Create: out/1.txt — what a stage leaves

#### Option B: one file for all

File Structure:
- Create: out/all.txt — a line a stage

### Trade-off

A meets no conflict; B is shorter.

### Recommended Option

Option A.

### Dependency and Migration Risk

None.

### Validation Checklist

- pre: ` + "`git status --porcelain`" + ` prints nothing
- post: ` + "`test -s out/1.txt`" + `

### Rollback Strategy

Revert the stage commits in reverse order.

### Requirement Coverage

| requirement | stages |
|-------------|--------|
| R-1 | 1 |

### 5.5.9 Plan Body Verification

| item | verdict | Classification |
|------|---------|----------------|
| P-1 | AGREE | full-consensus |

Gate result: passed

## 5.5 Stage Map

| stage | title | depends-on | step-count | exit-contract-summary |
|-------|-------|------------|------------|-----------------------|
`

const planStage = `
## 5.5.%[1]d Stage %[1]d: part %[1]d

Slice value: one more file is there

Acceptance: out/%[1]d.txt is not empty

- Test case (success): the file is there
- Test case (boundary): it has one line
- Test case (failure): it is missing

Conformance exemption: text files only

### Carry-In

- nothing

### Stepwise Execution Order

| step | action | files | command | expected |
|------|--------|-------|---------|----------|
| 1 | RED: ask for the file | out/%[1]d.txt | ` + "`test -s out/%[1]d.txt`" + ` | FAIL |
| 2 | GREEN: write it | out/%[1]d.txt | ` + "`test -s out/%[1]d.txt`" + ` | PASS |

### Stage Exit Contract

- ` + "`out/%[1]d.txt`" + `

### Stage Validation

- post: ` + "`test -s out/%[1]d.txt`" + `
`

// planText is a plan of n stages that depend on nothing; revisions differ in their
// heading alone.
func planText(n, revision int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, planHead, revision)
	for i := range n {
		fmt.Fprintf(&b, "| %[1]d | part %[1]d | (none) | 2 | out/%[1]d.txt |\n", i+1)
	}
	for i := range n {
		fmt.Fprintf(&b, planStage, i+1)
	}
	return []byte(b.String())
}
