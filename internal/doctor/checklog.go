package doctor

import (
	"bytes"
	"context"
	"slices"

	"git-okstra/gitops"
	"git-okstra/notes"
	"git-okstra/plan"
)

func unreadableLogs(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if t.err != nil && f.types[t.notes] == gitops.TypeCommit {
			out = append(out, found(t, 0, "%s cannot be read: %v", t.notesRef(), t.err).
				hint("see what stood there before with: git reflog show %s", t.notesRef()))
		}
	}
	return out
}

// droppedRows: rows are never removed (storage.md §2), so what the reflog remembers
// and the log lacks was lost.
func droppedRows(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if len(t.lost) == 0 {
			continue
		}
		const most = 5
		one := found(t, 0, "%s has lost %d rows that it once had: %s", t.notesRef(), len(t.lost), names(t.lost, most)).
			mendedBy(restore(t, t.lost))
		if t.partly {
			one = one.hint("the reflog is too long to be looked through as a whole; there may be more")
		}
		out = append(out, one)
	}
	return out
}

// names tells rows by stage and status.
func names(rows []notes.Line, most int) string {
	text := ""
	for i, l := range rows[:min(most, len(rows))] {
		if i > 0 {
			text += ", "
		}
		text += "stage " + number(l.Row.Stage) + " " + string(l.Row.Status)
	}
	if len(rows) > most {
		text += ", …"
	}
	return text
}

// restore is a repair that adds lines to the log, or none to set its clock right.
func restore(t *task, lost []notes.Line) mend {
	return func(ctx context.Context, d *Doctor) error {
		sig, err := d.Signature(ctx)
		if err != nil {
			return err
		}
		w := d.Repo.NewObjects()
		tip, err := notes.Restore(ctx, d.Repo, w, t.notes, sig, lost)
		if err != nil {
			return err
		}
		tx := gitops.Transaction{Reason: "okstra: doctor restores the log"}
		tx.Update(t.notesRef(), t.notes, tip)
		return d.Repo.ApplyObjects(ctx, w, tx)
	}
}

func changedRows(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, l := range t.changed {
			out = append(out, found(t, l.Row.Stage, "the %s row %s of stage %d reads otherwise than it once did",
				l.Row.Status, l.Row.ID, l.Row.Stage).
				hint("rows are never edited; see what stood there with: git log -p %s", t.notesRef()))
		}
	}
	return out
}

// sameIDs finds rows that say different things under one id. Copies on several commits
// are no fault: they count once.
func sameIDs(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		first := make(map[string]line, len(t.lines))
		for _, l := range t.lines {
			if l.Foreign {
				continue
			}
			was, seen := first[l.Row.ID]
			if !seen {
				first[l.Row.ID] = l
			} else if !bytes.Equal(was.Raw, l.Raw) {
				out = append(out, found(t, l.Row.Stage, "two different rows have the id %s: line %d of the note on %s and line %d of the note on %s",
					l.Row.ID, was.no, was.Commit.Short(), l.no, l.Commit.Short()).
					hint("only one of them counts; see both with: git notes --ref=%s show COMMIT", shortNotes(t)))
			}
		}
	}
	return out
}

// shortNotes is the notes ref as git notes --ref wants it.
func shortNotes(t *task) string { return "okstra/" + t.key }

func sameClaims(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		first := map[string]line{}
		for _, l := range t.rows {
			if !begins(l.Row.Status) || l.Row.Claim == "" {
				continue
			}
			was, seen := first[l.Row.Claim]
			if !seen {
				first[l.Row.Claim] = l
			} else if was.Row.Stage != l.Row.Stage {
				out = append(out, found(t, l.Row.Stage, "stages %d and %d were started under the same claim %s", was.Row.Stage, l.Row.Stage, l.Row.Claim).
					hint("each start makes a claim of its own, so one of these rows was copied; see: git okstra log --task %s", t.name))
			}
		}
	}
	return out
}

// backwards finds claims whose end stands before their start: (seq, id) is the order of
// all that is decided from the log.
func backwards(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		ended := map[string]line{}
		for _, l := range t.rows {
			switch l.Row.Status {
			case notes.Done, notes.Released:
				if _, seen := ended[l.Row.Claim]; !seen {
					ended[l.Row.Claim] = l
				}
			case notes.Started, notes.TakenOver:
				if end, early := ended[l.Row.Claim]; early && l.Row.Claim != "" && end.Row.Stage == l.Row.Stage {
					out = append(out, found(t, l.Row.Stage, "the %s row of stage %d has seq %d, and the started row of the same claim has %d",
						end.Row.Status, l.Row.Stage, end.Row.Seq, l.Row.Seq).
						hint("something else than git okstra numbered these rows; see: git okstra log --stage %d --task %s", l.Row.Stage, t.name))
				}
			}
		}
	}
	return out
}

func lowClocks(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if len(t.rows) == 0 || !t.hasClock || t.err != nil {
			continue
		}
		if most := t.rows[len(t.rows)-1].Row.Seq; t.clock < most {
			out = append(out, found(t, 0, "the commit of %s says Okstra-Seq %d, and the log goes up to %d", t.notesRef(), t.clock, most).
				mendedBy(restore(t, nil)))
		}
	}
	return out
}

// foreignLines names what is no row, and rows of another task. They break nothing.
func foreignLines(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, l := range t.lines {
			what := "no row"
			if !l.Foreign {
				if !l.ofAnother(t.key) {
					continue
				}
				what = "a row of the task " + l.Row.Task
			}
			out = append(out, found(t, 0, "line %d of the note on %s is %s: %s", l.no, l.Commit, what, beginning(l.Raw)).
				hint("it is kept and does no harm; see it with: git notes --ref=%s show %s", shortNotes(t), l.Commit.Short()))
		}
	}
	return out
}

// ofAnother reports whether a row belongs to another task than the notes that it is in.
func (l line) ofAnother(task string) bool {
	key, err := plan.ParseTaskKey(l.Row.Task)
	return !l.Foreign && l.Row.Okstra == nil && err == nil && key.Ref() != task
}

// beginning shows the first characters of a line.
func beginning(raw []byte) string {
	const most = 40
	text := []rune(string(raw[:min(len(raw), 4*most)]))
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}

// notesOnMissing names commits that the log speaks of and that are not here. That is
// no surprise for one that a later row replaces, or in a clone that lacks objects.
func notesOnMissing(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		replaced := map[gitops.Hash]bool{}
		rows := map[gitops.Hash]int{}
		var order []gitops.Hash
		for _, l := range t.lines {
			replaced[l.Row.Replaces] = true
			if f.types[l.Commit] == "" {
				if rows[l.Commit]++; rows[l.Commit] == 1 {
					order = append(order, l.Commit)
				}
			}
		}
		for _, h := range order {
			one := found(t, 0, "the log has %d lines on %s, which is not in this repository", rows[h], h).
				hint("the rows count all the same; the object can be fetched from a clone that has it")
			if replaced[h] || f.shallow || f.partial {
				one = one.as(Info)
			}
			out = append(out, one)
		}
	}
	return out
}

func severalDepths(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		for _, h := range t.twice {
			out = append(out, found(t, 0, "%s is noted at several fan-out depths; it counts as one note", h.Short()))
		}
	}
	return out
}

func mixedFanout(f *facts) []Finding {
	var out []Finding
	for _, t := range f.tasks {
		if t.mixed {
			out = append(out, found(t, 0, "the tree of %s mixes notes and fan-out folders in one level; all of it is read", t.notesRef()))
		}
	}
	return out
}

// byStage puts findings in order of task and stage.
func byStage(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		if a.Task != b.Task {
			return 0 // tasks come in order already
		}
		return int(a.Stage - b.Stage)
	})
	return list
}
