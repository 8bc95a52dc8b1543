package lifecycle

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"git-okstra/gitops"
	"git-okstra/plan"
)

// portPrefix holds the port slots of this clone: each ref holds the tag of the
// reservation that the slot was last given to, and the tag says which stage that is.
// A slot is taken while that stage is reserved. A released stage leaves its slot as it
// is, so that it can have it again; the end of a done one takes the ref away.
const portPrefix = "refs/okstra-local/port/"

const (
	defaultPortBase = 20000
	defaultPortStep = 10
	minPort         = 1024
	maxPort         = 65535
)

// portTable is the slots of this clone and the reservations of all of its tasks.
type portTable struct {
	slots    map[int]gitops.Hash
	reserved map[string]map[plan.StageNumber]gitops.Hash // by the task's key in refs
}

// take files the ref of one slot; what is no number is left alone.
func (p *portTable) take(rest string, h gitops.Hash) {
	if n, err := strconv.Atoi(rest); err == nil && n >= 0 && strconv.Itoa(n) == rest {
		p.slots[n] = h
	}
}

// PortRange is how slots become ports.
type PortRange struct{ Base, Step int }

// PortsOf reads okstra.portBase and okstra.portStep. Errors: a *Refusal that names the
// setting.
func PortsOf(c gitops.Config) (PortRange, error) {
	base, err := c.Int("okstra.portBase", defaultPortBase)
	if err != nil {
		return PortRange{}, refuse(Environment, "", "%s", plan.Printable(err.Error()))
	}
	step, err := c.Int("okstra.portStep", defaultPortStep)
	if err != nil {
		return PortRange{}, refuse(Environment, "", "%s", plan.Printable(err.Error()))
	}
	switch {
	case base < minPort || base > maxPort:
		return PortRange{}, refuse(Environment, "", "config okstra.portBase: %d is not within %d to %d", base, minPort, maxPort)
	case step < 1 || base+step-1 > maxPort:
		return PortRange{}, refuse(Environment, "", "config okstra.portStep: no stage can have %d ports from %d on", step, base)
	}
	return PortRange{base, step}, nil
}

// count is how many slots there are.
func (r PortRange) count() int { return (maxPort + 1 - r.Base) / r.Step }

// port is the first port of a slot.
func (r PortRange) port(slot int) int { return r.Base + slot*r.Step }

// PortBase is the first port that a reserved stage has for itself in this clone; 0
// where it has none, as one that was reserved in another clone.
func (e *Engine) PortBase(t *Task, n plan.StageNumber) (int, error) {
	ports, err := PortsOf(e.Repo.Config())
	if err != nil {
		return 0, err
	}
	if slot, ok := t.slotHeld(t.Reserved[n]); ok && slot < ports.count() {
		return ports.port(slot), nil
	}
	return 0, nil
}

// slotHeld finds the slot that was given to a reservation.
func (t *Task) slotHeld(tag gitops.Hash) (int, bool) {
	if t.ports == nil || tag == "" {
		return 0, false
	}
	for _, n := range slices.Sorted(maps.Keys(t.ports.slots)) {
		if t.ports.slots[n] == tag {
			return n, true
		}
	}
	return 0, false
}

// slotRef names the ref of a slot.
func slotRef(slot int) gitops.RefName { return gitops.RefName(portPrefix + strconv.Itoa(slot)) }

// portSlot is a stage's slot and what its ref holds now, "" for nothing.
type portSlot struct {
	n    int
	have gitops.Hash
}

// chooseSlot decides a stage's slot and its first port: the one that it has or had,
// else that of its number, else the lowest that nobody ever had, else the lowest that
// nobody has now.
func (e *Engine) chooseSlot(ctx context.Context, t *Task, s *Started) error {
	ports, err := PortsOf(e.Repo.Config())
	if err != nil {
		return err
	}
	slot, ok := t.slotHeld(s.tag)
	if !ok || slot >= ports.count() {
		if slot, err = e.freeSlot(ctx, t, s.Stage, ports); err != nil {
			return err
		}
	}
	s.slot = portSlot{slot, t.ports.slots[slot]}
	s.PortBase = ports.port(slot)
	return nil
}

func (e *Engine) freeSlot(ctx context.Context, t *Task, n plan.StageNumber, ports PortRange) (int, error) {
	idle := -1
	for _, slot := range slices.Sorted(maps.Keys(t.ports.slots)) {
		if slot >= ports.count() {
			break
		}
		key, stage, err := e.slotOwner(ctx, t, t.ports.slots[slot])
		if err != nil {
			return 0, err
		}
		if key == t.Key.Ref() && stage == n {
			return slot, nil
		}
		if _, live := t.ports.reserved[key][stage]; !live && idle < 0 {
			idle = slot
		}
	}
	if own := int(n) - 1; own < ports.count() && t.ports.slots[own] == "" {
		return own, nil
	}
	for slot := range ports.count() {
		if t.ports.slots[slot] == "" {
			return slot, nil
		}
	}
	if idle < 0 {
		return 0, refuse(Environment, "set okstra.portBase lower or okstra.portStep smaller",
			"no port is left for stage %d: all %d slots from %d on are held by stages under way", n, ports.count(), ports.Base)
	}
	return idle, nil
}

// slotsOf lists the slots that were given to a stage.
func (e *Engine) slotsOf(ctx context.Context, t *Task, n plan.StageNumber) ([]int, error) {
	var out []int
	for _, slot := range slices.Sorted(maps.Keys(t.ports.slots)) {
		key, stage, err := e.slotOwner(ctx, t, t.ports.slots[slot])
		if err != nil {
			return nil, err
		}
		if key == t.Key.Ref() && stage == n {
			out = append(out, slot)
		}
	}
	return out, nil
}

// slotOwner tells which stage a slot's tag is for. Only the tag of a reservation that
// has ended has to be read; one that cannot be is nobody's.
func (e *Engine) slotOwner(ctx context.Context, t *Task, tag gitops.Hash) (key string, n plan.StageNumber, err error) {
	for key, reserved := range t.ports.reserved {
		for n, h := range reserved {
			if h == tag {
				return key, n, nil
			}
		}
	}
	data, err := e.Repo.ReadTag(ctx, tag)
	if err != nil {
		return "", 0, ctx.Err()
	}
	key, n = tagStage(data.Name)
	return key, n, nil
}

// tagStage reads from the name in a reservation's tag which stage it is for: the
// task's key as in refs, and the number; 0 where it is no such name.
func tagStage(name string) (key string, n plan.StageNumber) {
	rest, ok := strings.CutPrefix(name, "okstra/")
	key, what, ok2 := splitKey(rest)
	num, ok3 := strings.CutPrefix(what, "reserved/")
	n, isNumber := stageNumber(num)
	if !ok || !ok2 || !ok3 || !isNumber {
		return "", 0
	}
	return key, n
}

// holdSlot adds the stage's slot to a transaction that has, or verifies, its
// reservation.
func (s *Started) holdSlot(rec *record) {
	if s.slot.have != s.tag {
		rec.tx.Tags = true
		rec.tx.Update(slotRef(s.slot.n), s.slot.have, s.tag)
	}
}

// dropSlot takes away the slot that was given to a reservation which ends for good.
func (t *Task) dropSlot(rec *record, tag gitops.Hash) {
	if slot, ok := t.slotHeld(tag); ok {
		rec.tx.Delete(slotRef(slot), tag)
	}
}
