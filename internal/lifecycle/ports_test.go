package lifecycle

import (
	"context"
	"fmt"
	"testing"
)

// TestLostSlot: who loses the race for a slot gets another one. The other process
// wins between the look and the transaction.
func TestLostSlot(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n3:\n")
	if s, err := f.start(3); err != nil || s.PortBase != defaultPortBase+2*defaultPortStep {
		t.Fatalf("%+v, %v", s, err)
	}
	winner := f.repo.Git("rev-parse", string(slotRef(2)))
	req := f.request(1)
	req.Preflight = func(context.Context, Started) error {
		f.repo.Git("update-ref", string(slotRef(0)), winner) // again and again, as if it had held it all the time
		return nil
	}
	s, err := f.eng.Start(t.Context(), f.task(), req)
	if err != nil || s.PortBase != defaultPortBase+defaultPortStep {
		t.Fatalf("%+v, %v", s, err)
	}
	if got := f.repo.Git("rev-parse", string(slotRef(1))); got != f.repo.Git("rev-parse", string(f.task().reservedRef(1))) {
		t.Errorf("slot 1 holds %s", got)
	}
}

// TestManyPorts is field report D14: no two of 35 stages have the same ports, also
// when some end and others start.
func TestManyPorts(t *testing.T) {
	f := newFixture(t)
	src := ""
	for i := 1; i <= 35; i++ {
		src += fmt.Sprintf("%d:\n", i)
	}
	f.approve(src)
	live := map[int]bool{}
	for i := 35; i >= 1; i-- {
		s, err := f.start(f.task().Plan.Stages[i-1].Number)
		if err != nil || live[s.PortBase] || s.PortBase < defaultPortBase {
			t.Fatalf("stage %d: %d, %v", i, s.PortBase, err)
		}
		live[s.PortBase] = true
	}
	task := f.task()
	for n := range task.Reserved {
		port, err := f.eng.PortBase(task, n)
		if err != nil || !live[port] {
			t.Errorf("stage %d: %d, %v", n, port, err)
		}
		delete(live, port)
	}
}

// TestSlotAfterTakeover: the slot is the stage's, also when another reservation of the
// same stage stands now.
func TestSlotAfterTakeover(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	if _, err := f.start(1); err != nil {
		t.Fatal(err)
	}
	task := f.task()
	old := task.Reserved[1]
	data := f.repo.Git("cat-file", "tag", string(old)) + "\nTaken: over\n"
	f.repo.Write("tag", data)
	tag := f.repo.Git("hash-object", "-t", "tag", "-w", "tag")
	f.repo.Git("update-ref", string(task.reservedRef(1)), tag)
	req := f.request(1)
	req.Resume = true
	s, err := f.eng.Start(t.Context(), f.task(), req)
	if err != nil || s.PortBase != defaultPortBase || f.repo.Git("rev-parse", string(slotRef(0))) != tag {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestForeignSlots: what stands under the prefix and is no slot of ours.
func TestForeignSlots(t *testing.T) {
	f := newFixture(t)
	f.approve("1:\n2:\n")
	for _, name := range []string{"port/x", "port/00", "port/-1", "port/0"} {
		f.repo.Git("update-ref", "refs/okstra-local/"+name, "HEAD")
	}
	s, err := f.start(1)
	if err != nil || s.PortBase != defaultPortBase+defaultPortStep {
		t.Fatalf("%+v, %v", s, err)
	}
	if key, n := tagStage("okstra/a/b/c/reserved/4"); key != "a/b/c" || n != 4 {
		t.Errorf("%q %d", key, n)
	}
	for _, name := range []string{"", "v1.0", "okstra/a/b/c/reserved/04", "okstra/a/b/c/done/4", "okstra/a/b/reserved/4"} {
		if key, n := tagStage(name); key != "" || n != 0 {
			t.Errorf("%q: %q %d", name, key, n)
		}
	}
}
