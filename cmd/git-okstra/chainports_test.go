package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestChainPorts is field report D14: 35 workers that run side by side have 35 distinct
// port bases, and whoever takes a stage up again has the same.
func TestChainPorts(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("its workers are shell scripts")
	}
	n := 35
	if testing.Short() {
		n = 5
	}
	b := newBench(t, n)
	dir := t.TempDir()
	// each waits for all the others, and then says what it was given
	const worker = `echo $OKSTRA_PORT_BASE >"$0/new-$OKSTRA_STAGE-$OKSTRA_RESUMED"
mv "$0/new-$OKSTRA_STAGE-$OKSTRA_RESUMED" "$0/port-$OKSTRA_STAGE-$OKSTRA_RESUMED"
all=$1
while set -- "$0"/port-*-$OKSTRA_RESUMED && test $# -lt $all; do sleep 0.3; done
test $OKSTRA_RESUMED = 1 && git commit -q --allow-empty -m done`
	args := []string{"chain", "-j", fmt.Sprint(n), "--keep-going", "--", "sh", "-c", worker, dir, fmt.Sprint(n)}
	if o := b.run(b.repo.Dir, args...); o.code != exitFindings {
		t.Fatalf("the workers were to fail: %+v", o)
	}
	b.must(b.repo.Dir, args...)
	given := map[string]int{}
	for i := 1; i <= n; i++ {
		var ports [2]string
		for again := range ports {
			text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("port-%d-%d", i, again)))
			if err != nil {
				t.Fatal(err)
			}
			ports[again] = strings.TrimSpace(string(text))
		}
		if other := given[ports[0]]; other != 0 || len(ports[0]) < 5 || ports[0] != ports[1] {
			t.Errorf("stage %d has ports from %q (of stage %d, if that is another)", i, ports, other)
		}
		given[ports[0]] = i
	}
	if got := b.rows("done"); got != n {
		t.Errorf("%d done rows", got)
	}
}
