package workspace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestOracle compares us with `git worktree add` in generated repositories. Each is
// made of several of the named cases; a case that too few of them have is a failure.
// OKSTRA_ORACLE is the number of repositories, OKSTRA_ORACLE_SEED the first seed.
func TestOracle(t *testing.T) {
	t.Parallel()
	run, first := 100, uint64(1)
	if testing.Short() {
		run = 20
	}
	if v := os.Getenv("OKSTRA_ORACLE"); v != "" {
		run = number(t, v)
	}
	if v := os.Getenv("OKSTRA_ORACLE_SEED"); v != "" {
		first = uint64(number(t, v))
	}
	count := tally{n: map[string]int{}}
	underUmask(t, first+uint64(run), max(run/10, 1), &count)
	t.Run("repositories", func(t *testing.T) {
		for i := range run - max(run/10, 1) {
			seed := first + uint64(i)
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				count.add(oracleRound(t, seed)...)
			})
		}
	})
	if run >= 100 {
		count.hold(t, run)
	}
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("not a number of repositories: %q", text)
	}
	return n
}

// tally counts in how many repositories each case was tried, and what was copied.
type tally struct {
	mu sync.Mutex
	n  map[string]int
}

func (c *tally) add(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range names {
		c.n[n]++
	}
}

// hold demands each case in at least 5 % of the repositories.
func (c *tally) hold(t *testing.T, run int) {
	t.Helper()
	var lines []string
	for _, name := range oracleNames() {
		lines = append(lines, fmt.Sprintf("%s %d", name, c.n[name]))
		if c.n[name]*20 < run {
			t.Errorf("%s: in %d of %d repositories", name, c.n[name], run)
		}
	}
	t.Logf("%d repositories: %s", run, strings.Join(lines, ", "))
}

// oracleNames are the cases, and what else every run must have seen enough of.
func oracleNames() []string {
	names := []string{"umask", "copied", "partly copied", "all by git", "refused"}
	for _, c := range oracleCases() {
		names = append(names, c.name)
	}
	return names
}

const oracleUmask = "WORKSPACE_TEST_ORACLE_UMASK"

// underUmask makes n repositories in a process of its own with a umask that leaves
// nothing to others: a umask is the whole process's.
func underUmask(t *testing.T, first uint64, n int, count *tally) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOracleUmask$", "-test.v")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", oracleUmask, first, n))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("under another umask: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if _, names, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "tried: "); ok {
			count.add(append(strings.Split(names, ", "), "umask")...)
		}
	}
}

// TestOracleUmask is the process that TestOracle starts.
func TestOracleUmask(t *testing.T) {
	var first, n int
	if _, err := fmt.Sscan(os.Getenv(oracleUmask), &first, &n); err != nil {
		return // TestOracle runs it
	}
	umask(0o077)
	for i := range n {
		t.Run(fmt.Sprint(first+i), func(t *testing.T) {
			t.Parallel()
			t.Logf("tried: %s", strings.Join(oracleRound(t, uint64(first+i)), ", "))
		})
	}
}

// oracleRound makes one repository, provisions one or two of its commits, and returns
// what it was made of.
func oracleRound(t *testing.T, seed uint64) []string {
	t.Helper()
	g := newOracle(t, seed)
	g.build()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d: %s\n%s", seed, strings.Join(g.cases, ", "), strings.Join(g.log, "\n"))
		}
	}()
	tried, before := slices.Clone(g.cases), g.fsck()
	for _, rev := range g.revs {
		tried = append(tried, g.sameFateAs(rev)...)
	}
	if found := less(g.fsck(), before); len(found) > 0 {
		t.Errorf("fsck finds %q", found)
	}
	slices.Sort(tried)
	return slices.Compact(tried)
}

// newOracle draws the cases of a repository, by chance and so that each has its turn. In
// every second one nothing rules out copying, in every fourth one thing alone does, or
// it would not show that each is seen. At most one case makes git refuse.
func newOracle(t *testing.T, seed uint64) *oracle {
	t.Helper()
	g := &oracle{
		Rand: rand.New(rand.NewPCG(seed, 11)), world: newWorld(t, "empty"),
		first: map[string]oracleFile{}, second: map[string]oracleFile{}, revs: []string{"main"},
	}
	var copied, byGit, refused []oracleCase
	for _, c := range oracleCases() {
		switch {
		case c.refused:
			refused = append(refused, c)
		case c.byGit:
			byGit = append(byGit, c)
		default:
			copied = append(copied, c)
		}
	}
	switch {
	case seed%4 == 2:
		g.take(byGit[seed/4%uint64(len(byGit))])
	case seed%4 == 0:
		shift := uint64(0)
		for i, c := range byGit {
			// Of three such seeds one has it, and others of them have what another has;
			// those of one group are never drawn together.
			if shift++; i == 0 || c.group == "" || c.group != byGit[i-1].group {
				shift = rand.New(rand.NewPCG(seed/12, uint64(i))).Uint64N(3)
			}
			if (seed/4+shift)%3 == 0 {
				g.take(c)
			}
		}
	}
	g.some(copied, seed, 0.22)
	if g.IntN(3) == 0 {
		g.take(refused[g.IntN(len(refused))])
	}
	return g
}

// some takes the case whose turn it is, and others by chance.
func (g *oracle) some(of []oracleCase, turn uint64, chance float64) {
	for i, c := range of {
		if uint64(i) == turn%uint64(len(of)) || g.Float64() < chance {
			g.take(c)
		}
	}
}
