package main

import "os"

// demoTask is the key of the demo's task, as refs and notes have it.
const demoTask = "demo/greeter/HELLO-1"

func (d *demo) prepare() {
	d.a.print("git-okstra demo: five stages, from a plan to finished branches, in a throw-away repository\n")
	if d.err == nil {
		d.err = os.MkdirAll(d.repo(), 0o777)
	}
	d.title("A repository with a plan in it")
	d.run(d.repo(), 0, "git", "init", "-q", "-b", "main", ".")
	d.write(d.repo(), "README.md", "# greeter\n")
	d.write(d.repo(), "plan.md", string(demoPlan))
	d.run(d.repo(), 0, "git", "add", ".")
	d.run(d.repo(), 0, "git", "commit", "-qm", "'a plan for the greeter'")
}

func (d *demo) plan() {
	d.title("The plan is checked, approved and pinned")
	d.run(d.repo(), 0, "git", "okstra", "plan", "check", "plan.md")
	d.run(d.repo(), 0, "git", "okstra", "plan", "approve", "plan.md")
	d.run(d.repo(), 0, "git", "commit", "-qam", "'plan approved'")
	d.run(d.repo(), 0, "git", "okstra", "stage", "list")
}

func (d *demo) firstStage() {
	d.title("Take the next ready stage: reserved, with a branch and a worktree of its own")
	d.run(d.repo(), 0, "git", "okstra", "stage", "next")
	d.title("Nobody else can take it; nothing else is ready yet")
	d.run(d.repo(), 4, "git", "okstra", "stage", "start", "1")
	d.run(d.repo(), 4, "git", "okstra", "stage", "next")
	d.title("Work in the worktree; done is believed only when it is committed")
	d.write(d.stage(1), "greet/rules.txt", "hello, NAME\n")
	d.run(d.stage(1), 1, "git", "okstra", "stage", "done")
	d.work(1, "greet/rules.txt", "hello, NAME", "greet by name")
	d.run(d.stage(1), 0, "git", "okstra", "stage", "done")
}

func (d *demo) otherStages() {
	d.title("Two stages became ready: two workers take one each")
	d.run(d.repo(), 0, "git", "okstra", "stage", "next", "--print-path")
	d.run(d.repo(), 0, "git", "okstra", "stage", "next", "--print-path")
	d.work(2, "greet/farewell.txt", "goodbye, NAME", "see off by name")
	d.run(d.stage(2), 0, "git", "okstra", "stage", "done")
	d.work(3, "docs/guide.md", "Say hello, say goodbye.", "a user guide")
	d.run(d.stage(3), 0, "git", "okstra", "stage", "done")
}

func (d *demo) gate() {
	d.title("Stage 4 builds on stage 2; stage 5 needs 2 and 3 in main, and says so")
	d.run(d.repo(), 0, "git", "okstra", "stage", "start", "4", "--print-path")
	d.run(d.repo(), 3, "git", "okstra", "stage", "start", "5")
	d.run(d.repo(), 0, "git", "merge", "-q", "--no-edit", "feat-HELLO-1-s2", "feat-HELLO-1-s3")
	d.run(d.repo(), 0, "git", "okstra", "stage", "start", "5", "--print-path")
	d.work(4, "greet/polite.txt", "good evening, NAME", "polite mode")
	d.run(d.stage(4), 0, "git", "okstra", "stage", "done")
	d.work(5, "docs/release.md", "New: the guide, and farewells.", "release notes")
	d.run(d.stage(5), 0, "git", "okstra", "stage", "done")
	d.run(d.repo(), 0, "git", "okstra", "stage", "next")
}

func (d *demo) show() {
	d.title("All of it is plain git: history with the rows as notes, refs, worktrees")
	d.run(d.repo(), 0, "git", "okstra", "log")
	d.run(d.repo(), 0, "git", "log", "--graph", "--notes=okstra/"+demoTask, "--format='%h %s%n%N'", "--branches")
	d.run(d.repo(), 0, "git", "for-each-ref", "refs/okstra")
	d.run(d.repo(), 0, "git", "worktree", "list")
}
