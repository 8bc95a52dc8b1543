package gitops

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

func TestBatchConcurrent(t *testing.T) {
	r := newObjRepo(t)
	r.history(2)
	started := 0
	cfg := r.config(&started)
	cfg.NoGoGit = true
	s := openStore(t, cfg)
	objects := r.all()
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			for h, want := range objects {
				if _, data, err := s.read(t.Context(), h); err != nil || string(data) != string(want.data) {
					t.Errorf("%s: %v", h, err)
				}
			}
		})
	}
	wg.Wait()
	if started != 1 {
		t.Errorf("started %d times", started)
	}
}

// After an answer that is not read to its end, the next question gets its own.
func TestBatchAfterTooLarge(t *testing.T) {
	r := newObjRepo(t)
	cfg := r.config(nil)
	cfg.NoGoGit = true
	s := openStore(t, cfg)
	large := Hash(r.gitIn(strings.Repeat("x", 1000), "hash-object", "-w", "--stdin"))
	small := Hash(r.gitIn("small", "hash-object", "-w", "--stdin"))
	for range 2 {
		if _, _, err := s.readLimited(t.Context(), large, 999); !errors.Is(err, ErrTooLarge) {
			t.Errorf("err = %v", err)
		}
		if _, data, err := s.read(t.Context(), small); err != nil || string(data) != "small" {
			t.Errorf("%q, %v", data, err)
		}
		if _, _, err := s.read(t.Context(), noteTarget(1)); !errors.Is(err, ErrMissing) {
			t.Errorf("err = %v", err)
		}
	}
}

func TestBatchCannotStart(t *testing.T) {
	b := newBatchReader(func(context.Context) *exec.Cmd { return exec.Command("/nonexistent/git") })
	if _, _, err := b.read(t.Context(), noteTarget(1), 10); err == nil || errors.Is(err, ErrMissing) {
		t.Errorf("err = %v", err)
	}
	if err := b.close(); err != nil {
		t.Error(err)
	}
}

// Who waits for his turn can give up.
func TestBatchTurn(t *testing.T) {
	b := newBatchReader(nil)
	b.turn <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := b.read(ctx, noteTarget(1), 10); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

func TestErrHeadBound(t *testing.T) {
	var h errHead
	for range 100 {
		if n, err := h.Write(make([]byte, 1000)); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(h.String()) != 8<<10 {
		t.Errorf("%d bytes", len(h.String()))
	}
}
