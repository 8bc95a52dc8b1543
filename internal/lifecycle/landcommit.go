package lifecycle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// Trailer that says, beside trailerTask, which stage a landing's commit is for.
const trailerStage = "Okstra-Stage"

// merge makes a merge commit.
func (d *landing) merge(ctx context.Context, out *StageLanding) error {
	m, err := d.sketch.Merge(ctx, d.tip, d.head)
	if err != nil || len(m.Conflicts) > 0 {
		out.How, out.Conflicts, out.At = Merge, m.Conflicts, d.head
		return err
	}
	c := gitops.CommitData{Tree: m.Tree, Parents: []gitops.Hash{d.tip, d.head}}
	c.Message = fmt.Sprintf("Merge stage %d: %s\n\n%s", d.stage, d.title(), d.trailers(nil))
	if c.Author, err = d.engine.Repo.Author(ctx, d.engine.Now()); err != nil {
		return err
	}
	out.How = Merge
	out.To, err = d.commit(ctx, c)
	return err
}

// title is the stage's, as one line of a message.
func (d *landing) title() string {
	st, _ := d.task.Plan.Stage(d.stage)
	return plan.Printable(st.Title)
}

func (d *landing) trailers(coAuthors []string) string {
	text := fmt.Sprintf("%s: %s\n%s: %d\n", trailerTask, plan.Printable(d.task.Key.String()), trailerStage, d.stage)
	for _, who := range coAuthors {
		text += "Co-authored-by: " + who + "\n"
	}
	return text
}

// commit makes one in the sketch, by the caller, signed if the user's git signs commits.
func (d *landing) commit(ctx context.Context, c gitops.CommitData) (gitops.Hash, error) {
	sign, err := d.engine.Repo.SignsCommits()
	if err != nil {
		return "", err
	}
	if c.Committer, err = d.engine.signature(ctx); err != nil {
		return "", err
	}
	return d.sketch.Commit(ctx, c, sign && !d.dryRun, d.signing)
}

// change finds the commits that are the stage's own and not in the branch yet, oldest
// first, and what they stand on.
func (d *landing) change(ctx context.Context) (base gitops.Hash, list []gitops.CommitNode, err error) {
	repo := d.sketch.Repo
	common, err := repo.CommonBase(ctx, d.tip, d.head)
	if err != nil {
		return "", nil, err
	}
	ranges, err := d.engine.Ranges(ctx, d.task, d.stage)
	if err != nil {
		return "", nil, err
	}
	base = common
	if own := ranges[0].Base; own != "" {
		on, err := repo.IsAncestor(ctx, own, d.head)
		if err != nil {
			return "", nil, err
		}
		landed, err := repo.IsAncestor(ctx, own, common)
		if err != nil {
			return "", nil, err
		}
		if on && !landed { // it stands on something that is not in the branch, or is there in another form
			base = own
			if err := d.predecessorsLanded(ctx); err != nil {
				return "", nil, err
			}
		}
	}
	list, more, err := repo.Commits(ctx, []gitops.Hash{d.head}, []gitops.Hash{d.tip, base}, longestRange)
	if err == nil && more {
		err = refuse(Refused, "", "stage %d has more than %d commits", d.stage, longestRange)
	}
	slices.Reverse(list)
	return base, list, err
}

// predecessorsLanded refuses a change that would leave out what it is made on.
func (d *landing) predecessorsLanded(ctx context.Context) error {
	st, _ := d.task.Plan.Stage(d.stage)
	var lacking []plan.StageNumber
	for _, dep := range unique(st.DependsOn) {
		head := d.task.Done[dep]
		if head == "" || d.virtual {
			continue // reopened by force; or landed before it in this dry run
		}
		in, err := d.engine.landed(ctx, d.task, dep, head, d.tip)
		if err != nil {
			return err
		}
		if !in {
			lacking = append(lacking, dep)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	onto := plan.Printable(shortBranch(d.onto))
	return refuse(Refused, fmt.Sprintf("land them together: git okstra stage land %s --%s", words(append(lacking, d.stage)), d.how),
		"stage %d is made on stage %s, which has not landed in %s", d.stage, Numbers(lacking), onto)
}

// squash makes one commit of all that the stage changes.
func (d *landing) squash(ctx context.Context, out *StageLanding) error {
	base, list, err := d.change(ctx)
	if err != nil {
		return err
	}
	m, err := d.sketch.Replay(ctx, gitops.Diff{From: base, To: d.head}, d.tip)
	if err != nil || len(m.Conflicts) > 0 {
		out.How, out.Conflicts, out.At = Squash, m.Conflicts, d.head
		return err
	}
	move := Move{Stage: d.stage, From: d.head, Reason: string(Squash), Base: d.tip}
	onto, err := d.sketch.ReadCommit(ctx, d.tip)
	if err != nil {
		return err
	}
	if m.Tree == onto.Tree { // nothing is left to bring
		move.To, move.Base = d.tip, ""
	} else {
		c := gitops.CommitData{Tree: m.Tree, Parents: []gitops.Hash{d.tip}}
		if err := d.summary(ctx, list, &c); err != nil {
			return err
		}
		if move.To, err = d.commit(ctx, c); err != nil {
			return err
		}
		out.How = Squash
	}
	out.To = move.To
	move.Commits = []Rewrite{{Old: d.head, New: move.To}}
	d.moves = []Move{move}
	return nil
}

// summary fills in the message and author of a squash: the author of its newest commit,
// and who else wrote one.
func (d *landing) summary(ctx context.Context, list []gitops.CommitNode, c *gitops.CommitData) error {
	const most = 100
	var subjects, others []string
	for i, node := range slices.Backward(list) {
		one, err := d.sketch.ReadCommit(ctx, node.Hash)
		if err != nil {
			return err
		}
		subject, _, _ := strings.Cut(strings.TrimLeft(one.Message, "\n"), "\n")
		subjects = append(subjects, "- "+plan.Printable(strings.TrimSpace(subject)))
		if i == len(list)-1 {
			c.Author = one.Author
		}
		who := plan.Printable(fmt.Sprintf("%s <%s>", one.Author.Name, one.Author.Email))
		if one.Author.Email != c.Author.Email && !slices.Contains(others, who) {
			others = append(others, who)
		}
	}
	slices.Reverse(subjects)
	if more := len(subjects) - most; more > 0 {
		subjects = append(subjects[:most], fmt.Sprintf("- and %d more", more))
	}
	c.Message = fmt.Sprintf("Stage %d: %s\n\n%s\n\n%s", d.stage, d.title(), strings.Join(subjects, "\n"), d.trailers(others))
	return nil
}

// rebase makes each of the stage's commits again.
func (d *landing) rebase(ctx context.Context, out *StageLanding) error {
	_, list, err := d.change(ctx)
	if err != nil {
		return err
	}
	for _, node := range list {
		if len(node.Parents) != 1 {
			return refuse(Refused, "land it by a merge (without --rebase), or with --squash",
				"stage %d cannot be rebased: %s is a merge", d.stage, node.Hash.Short())
		}
	}
	out.How = Rebase
	move := Move{Stage: d.stage, From: d.head, Reason: string(Rebase), Base: d.tip}
	at := d.tip
	for _, node := range list {
		next, conflicts, err := d.again(ctx, node, at)
		if err != nil || len(conflicts) > 0 {
			out.Conflicts, out.At = conflicts, node.Hash
			return err
		}
		if next != at {
			move.Commits = append(move.Commits, Rewrite{Old: node.Hash, New: next})
		}
		at = next
	}
	if at == d.tip {
		out.How, move.Base = LandedBefore, ""
	}
	if len(move.Commits) == 0 || move.Commits[len(move.Commits)-1].Old != d.head {
		move.Commits = append(move.Commits, Rewrite{Old: d.head, New: at})
	}
	out.To, move.To = at, at
	d.moves = []Move{move}
	return nil
}

// again makes one commit on another parent, with its author, date and message. One of
// which nothing is left is dropped, as git rebase does.
func (d *landing) again(ctx context.Context, node gitops.CommitNode, onto gitops.Hash) (gitops.Hash, []string, error) {
	parent := node.Parents[0]
	if parent == onto {
		return node.Hash, nil, nil
	}
	m, err := d.sketch.Replay(ctx, gitops.Diff{From: parent, To: node.Hash}, onto)
	if err != nil || len(m.Conflicts) > 0 {
		return "", m.Conflicts, err
	}
	var trees [2]gitops.Hash
	for i, h := range []gitops.Hash{onto, parent} {
		c, err := d.sketch.ReadCommit(ctx, h)
		if err != nil {
			return "", nil, err
		}
		trees[i] = c.Tree
	}
	c, err := d.sketch.ReadCommit(ctx, node.Hash)
	if err != nil {
		return "", nil, err
	}
	if m.Tree == trees[0] && c.Tree != trees[1] {
		return onto, nil, nil
	}
	c.Tree, c.Parents = m.Tree, []gitops.Hash{onto}
	c.Extra = slices.DeleteFunc(c.Extra, func(h gitops.ExtraHeader) bool { return h.Key != "encoding" })
	next, err := d.commit(ctx, c)
	return next, nil, err
}

// words are stage numbers as a command takes them.
func words(list []plan.StageNumber) string {
	list = slices.Clone(list)
	slices.Sort(list)
	return strings.ReplaceAll(Numbers(list), ",", "")
}
