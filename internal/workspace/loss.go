package workspace

import (
	"fmt"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// LossKind says what would be lost, or what stands in a removal's way.
type LossKind string

// The kinds of loss, beside those of gitops.ChangeKind, which are used as they are.
const (
	LossCommit    LossKind = "commit"    // on no branch, tag or remote
	LossRef       LossKind = "ref"       // of the worktree's own, for other things than our mark
	LossOperation LossKind = "operation" // a rebase or the like is under way
	LossBusy      LossKind = "busy"      // a git process is at work there
	LossSubmodule LossKind = "submodule" // cannot be looked at
	LossLocked    LossKind = "locked"
	LossGone      LossKind = "gone"     // the folder is not there
	LossForeign   LossKind = "foreign"  // something else stands there
	LossCaller    LossKind = "caller"   // the caller stands in it
	LossWorktree  LossKind = "worktree" // another worktree lies in it
	LossMount     LossKind = "mount"    // another file system is mounted in it
	LossIgnored   LossKind = LossKind(gitops.Ignored)
)

// Loss is one thing that a removal would cost, or that forbids it.
type Loss struct {
	Kind LossKind
	Path string // below the worktree, or absolute; as the file system has it
	What string // a few words more, as found
}

// String is the loss as one printable line.
func (l Loss) String() string {
	text := string(l.Kind)
	if l.Path != "" {
		text += " " + plan.Printable(l.Path)
	}
	if l.What != "" {
		text += ": " + plan.Printable(l.What)
	}
	return text
}

// LossError refuses a removal and says what it would cost.
type LossError struct {
	Path   string // of the worktree, or the branch's name
	Losses []Loss
}

// maxLosses is how many losses are told one by one.
const maxLosses = 10

func (e *LossError) Error() string {
	return fmt.Sprintf("%q is not removed:\n%s", e.Path, strings.Join(e.Lines(), "\n"))
}

// Lines tells the losses, a line each, the first ten of them.
func (e *LossError) Lines() []string {
	var lines []string
	for _, l := range e.Losses[:min(maxLosses, len(e.Losses))] {
		lines = append(lines, "  "+l.String())
	}
	if rest := len(e.Losses) - maxLosses; rest > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", rest))
	}
	return lines
}

// advice is what to do about the losses of each kind.
var advice = []struct {
	hint  string
	kinds []LossKind
}{
	{"commit it, or undo it yourself", []LossKind{
		LossKind(gitops.Modified), LossKind(gitops.Unmerged), LossKind(gitops.Untracked), LossKind(gitops.Hidden),
	}},
	{"put it where it is to stay, or let ignored files go with --ignored, or those that some globs fit with: git config --add okstra.cleanIgnored GLOB", []LossKind{LossIgnored}},
	{"push it, or make a branch on it (git branch NAME COMMIT)", []LossKind{LossCommit}},
	{"delete the ref, or keep its commit by a branch", []LossKind{LossRef}},
	{"finish or abort it first", []LossKind{LossOperation}},
	{"wait for it to end; if none runs there any more, remove the lock file", []LossKind{LossBusy}},
	{"unlock it with: git worktree unlock", []LossKind{LossLocked}},
	{"if it was moved: git worktree repair NEW-PATH; if it is gone for good: git worktree prune; then run the same command again", []LossKind{LossGone}},
	{"look what stands there, and move it away", []LossKind{LossForeign}},
	{"run the command from another folder, such as the main worktree", []LossKind{LossCaller}},
	{"move that away first", []LossKind{LossWorktree, LossMount, LossSubmodule}},
}

// Hints says what to do, once for each kind of loss.
func (e *LossError) Hints() []string {
	var hints []string
	for _, a := range advice {
		for _, kind := range a.kinds {
			if e.has(kind) {
				hints = append(hints, a.hint)
				break
			}
		}
	}
	return hints
}

func (e *LossError) has(kind LossKind) bool {
	for _, l := range e.Losses {
		if l.Kind == kind {
			return true
		}
	}
	return false
}
