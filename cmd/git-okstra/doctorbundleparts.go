package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"git-okstra/gitops"
	"git-okstra/internal/bundle"
	"git-okstra/internal/lifecycle"
	"git-okstra/notes"
	"git-okstra/plan"
)

// bundleRemote is a remote as a bundle shows it.
type bundleRemote struct {
	Name  string   `json:"name"`
	Fetch []string `json:"fetch"` // how it is reached
	Push  []string `json:"push"`
	Specs []string `json:"refspecs"`
}

// settings shows git's core and ours; of remotes only how they are reached.
func (b *bundler) settings() {
	settings, remotes, hidden := []bundle.Setting{}, []bundleRemote{}, 0
	if b.repo != nil {
		c := b.repo.Config()
		for _, e := range c.Entries() {
			if s, ok := b.d.Setting(e.Scope, e.Key, e.Value); ok {
				settings = append(settings, s)
			} else {
				hidden++
			}
			switch e.Key {
			case "user.name", "user.email", "committer.name", "committer.email", "author.name", "author.email":
				b.d.Remember("person", e.Value)
			}
		}
		for _, name := range c.Subsections("remote.", ".url") {
			b.d.Remember("name", name)
			r := bundleRemote{Name: b.d.As("name", name), Fetch: []string{}, Push: []string{}, Specs: []string{}}
			for _, url := range c.All("remote." + name + ".url") {
				r.Fetch = append(r.Fetch, b.d.URL(url))
			}
			for _, url := range c.All("remote." + name + ".pushurl") {
				r.Push = append(r.Push, b.d.URL(url))
			}
			for _, spec := range c.All("remote." + name + ".fetch") {
				r.Specs = append(r.Specs, b.refspec(spec))
			}
			remotes = append(remotes, r)
		}
	}
	b.add("settings.json", "settings of core, extensions and okstra, values only where harmless; remotes without addresses",
		map[string]any{"settings": settings, "not_shown": hidden, "remotes": remotes})
}

// refspec keeps what is forced and where the star is.
func (b *bundler) refspec(spec string) string {
	sides := strings.Split(strings.TrimLeft(spec, "+^"), ":")
	for i, side := range sides {
		star := strings.HasSuffix(side, "/*")
		if sides[i] = b.d.Ref(strings.TrimSuffix(side, "/*")); star {
			sides[i] += "/*"
		}
	}
	return spec[:len(spec)-len(strings.TrimLeft(spec, "+^"))] + strings.Join(sides, ":")
}

// findings are the doctor's.
func (b *bundler) findings(c *doctorCmd) {
	if b.repo == nil {
		return
	}
	d, err := c.doctor(b.a)
	if err != nil {
		b.failed("ask the doctor", err)
		return
	}
	found, err := d.Examine(b.a.ctx)
	if err != nil {
		b.failed("examine", err)
		return
	}
	out := doctorReport(found)
	for i, task := range out.Tasks {
		out.Tasks[i] = b.task(task)
	}
	for i := range out.Findings {
		f := &out.Findings[i]
		f.Task, f.Message, f.Hint = b.task(f.Task), b.d.Prose(f.Message), b.d.Prose(f.Hint)
	}
	b.add("doctor.json", "what the doctor finds", out)
}

// task is a task's pseudonym, the same in whatever form its key is written.
func (b *bundler) task(key string) string {
	return b.d.As("task", strings.ToLower(strings.ReplaceAll(key, ":", "/")))
}

var bundledRefs = []string{"refs/okstra", "refs/notes/okstra", "refs/notes/okstra-qa", "refs/okstra-local", "refs/okstra-remote"}

// refs lists what keeps the state.
func (b *bundler) refs() []gitops.Ref {
	var list gitops.RefListing
	if b.repo != nil {
		var err error
		list, err = b.repo.InspectRefs(b.a.ctx, bundledRefs...)
		b.failed("list refs", err)
	} else {
		list = gitops.LookAtWreck("", bundledRefs...).RefListing
	}
	lines, broken := []string{}, []string{}
	for _, ref := range list.Refs {
		b.d.Show(string(ref.Hash))
		lines = append(lines, string(ref.Hash)+" "+b.d.Ref(string(ref.Name)))
	}
	for _, name := range list.Broken {
		broken = append(broken, b.d.Ref(string(name)))
	}
	b.add("refs.json", "the refs that keep the state, with the objects they name", map[string]any{"refs": lines, "broken": broken})
	return list.Refs
}

// bundleTask is what a bundle says of a task.
type bundleTask struct {
	Task    string         `json:"task"`
	Rows    map[string]int `json:"rows"` // by status
	Foreign int            `json:"foreign_lines"`
	Ruleset string         `json:"ruleset"`
	Stages  []bundleStage  `json:"stages"`
}

// bundleStage is the frame of a stage without its words.
type bundleStage struct {
	Number    plan.StageNumber   `json:"number"`
	DependsOn []plan.StageNumber `json:"depends_on"`
	Steps     int                `json:"steps"`
	Files     int                `json:"files"`
	Contract  int                `json:"contract_bytes"`
}

// statuses are those of rows; a row may say anything.
var statuses = []notes.Status{notes.Started, notes.Done, notes.Released}

var release = regexp.MustCompile(`^[0-9]{1,4}(\.[0-9]{1,4}){2}$`)

// tasks counts rows and tells the frames of plans; with withPlan the plans go in whole.
func (b *bundler) tasks(refs []gitops.Ref, withPlan bool) {
	if b.repo == nil {
		return
	}
	list := []*bundleTask{}
	at := func(key string) *bundleTask {
		name := b.task(key)
		for _, t := range list {
			if t.Task == name {
				return t
			}
		}
		t := &bundleTask{Task: name, Rows: map[string]int{}, Stages: []bundleStage{}}
		list = append(list, t)
		return t
	}
	for _, ref := range refs {
		name := string(ref.Name)
		if key, ok := strings.CutPrefix(name, "refs/notes/okstra/"); ok {
			b.failed("read the rows of "+at(key).Task, b.rows(at(key), ref.Hash))
		} else if key, ok := strings.CutSuffix(strings.TrimPrefix(name, "refs/okstra/"), "/plan"); ok && strings.HasPrefix(name, "refs/okstra/") {
			text, err := b.plan(b.a.ctx, at(key), ref.Hash)
			b.failed("read the plan of "+at(key).Task, err)
			if withPlan && text != "" {
				b.add("plan-"+at(key).Task+".md", "a plan, as it was approved", gitops.Mask(text))
			}
		}
	}
	b.add("tasks.json", "rows by status, and the frames of plans without their words", list)
}

func (b *bundler) rows(t *bundleTask, tip gitops.Hash) error {
	lines, err := notes.Read(b.a.ctx, b.repo, tip)
	if err != nil {
		return err
	}
	for _, l := range lines {
		switch {
		case l.Foreign:
			t.Foreign++
		case slices.Contains(statuses, l.Row.Status):
			t.Rows[string(l.Row.Status)]++
		default:
			t.Rows["other"]++
		}
	}
	return nil
}

func (b *bundler) plan(ctx context.Context, t *bundleTask, commit gitops.Hash) (string, error) {
	meta, err := lifecycle.ReadMeta(ctx, b.repo, commit)
	if err != nil {
		return "", err
	}
	if release.MatchString(meta.Ruleset) {
		t.Ruleset = meta.Ruleset
	}
	src, err := b.repo.FileAt(ctx, commit, "plan.md")
	if err != nil {
		return "", err
	}
	p, err := parseApproved(src, meta.Ruleset)
	if err != nil {
		return string(src), fmt.Errorf("parse: %w", err)
	}
	for _, st := range p.Stages {
		t.Stages = append(t.Stages, bundleStage{
			st.Number, append([]plan.StageNumber{}, st.DependsOn...), st.Steps, len(st.Files), len(st.Contract),
		})
	}
	return string(src), nil
}
