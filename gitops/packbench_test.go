package gitops

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/idxfile"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// benchRepo has one pack of about that many blobs, deltified by git.
func benchRepo(b *testing.B, blobs int) (*objRepo, []Hash) {
	b.Helper()
	r := newObjRepo(b)
	in, out := io.Pipe()
	go func() {
		w := bufio.NewWriter(out)
		fmt.Fprint(w, "commit refs/heads/main\ncommitter C <c@example.com> 1700000000 +0000\ndata 1\nx\n")
		for i := range blobs {
			text := fmt.Sprintf("file %d\n%s%d\n", i, strings.Repeat("the same in all of them\n", 20), i*i)
			fmt.Fprintf(w, "M 100644 inline %02x/%02x/%d\ndata %d\n%s\n", i&255, i>>8&255, i, len(text), text)
		}
		_ = w.Flush()
		_ = out.Close()
	}()
	if _, err := r.run(b.Context(), in, "fast-import", "--quiet"); err != nil {
		b.Fatal(err)
	}
	r.git("repack", "-adfq", "--depth=50")
	var hashes []Hash
	for line := range strings.Lines(r.git("ls-tree", "-r", "main")) {
		hashes = append(hashes, Hash(strings.Fields(line)[2]))
	}
	return r, hashes
}

const benchBlobs = 20_000

// BenchmarkReadPackedBlob opens a store and reads one blob: what a command pays.
func BenchmarkReadPackedBlob(b *testing.B) {
	r, hashes := benchRepo(b, benchBlobs)
	cfg := r.config(nil)
	b.Run("first", func(b *testing.B) {
		for i := range b.N {
			s := newObjectStore(cfg)
			if _, _, err := s.read(b.Context(), hashes[i*7919%len(hashes)]); err != nil {
				b.Fatal(err)
			}
			_ = s.Close()
		}
	})
	b.Run("next", func(b *testing.B) {
		s := openStore(b, cfg)
		for i := range b.N {
			if _, _, err := s.read(b.Context(), hashes[i*7919%len(hashes)]); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("git", func(b *testing.B) {
		for i := range b.N {
			if _, err := r.run(context.Background(), nil, "cat-file", "blob", string(hashes[i*7919%len(hashes)])); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkReadPackedBlobGoGit reads the same blobs through go-git's decoder,
// under our index ("mapped", which has to build a reverse map for FindHash) and
// under its own.
func BenchmarkReadPackedBlobGoGit(b *testing.B) {
	r, hashes := benchRepo(b, benchBlobs)
	base := strings.TrimSuffix(glob1(b, filepath.Join(r.objects(), "pack", "*.idx")), ".idx")
	for name, open := range map[string]func() idxfile.Index{
		"mapped": func() idxfile.Index { return newGoGitIndex(b, base) },
		"memory": func() idxfile.Index { return loadGoGitIndex(b, base) },
	} {
		start := func(b *testing.B) *packfile.Packfile {
			f, err := osfs.New(filepath.Dir(base)).Open(filepath.Base(base) + ".pack")
			if err != nil {
				b.Fatal(err)
			}
			return packfile.NewPackfile(open(), nil, f, 0)
		}
		get := func(b *testing.B, p *packfile.Packfile, i int) {
			if _, err := p.Get(plumbing.NewHash(string(hashes[i*7919%len(hashes)]))); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name+"/first", func(b *testing.B) {
			for i := range b.N {
				p := start(b)
				get(b, p, i)
				_ = p.Close()
			}
		})
		b.Run(name+"/next", func(b *testing.B) {
			p := start(b)
			defer p.Close()
			for i := range b.N {
				get(b, p, i)
			}
		})
	}
}

func loadGoGitIndex(b *testing.B, base string) idxfile.Index {
	b.Helper()
	f, err := os.Open(base + ".idx")
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	x := idxfile.NewMemoryIndex()
	if err := idxfile.NewDecoder(f).Decode(x); err != nil {
		b.Fatal(err)
	}
	return x
}

// goGitIndex puts a packIndex behind go-git's interface, as far as reading by
// name needs it.
type goGitIndex struct {
	idxfile.Index
	x       *packIndex
	reverse map[int64]plumbing.Hash
}

func newGoGitIndex(b *testing.B, base string) *goGitIndex {
	b.Helper()
	data, err := os.ReadFile(base + ".idx")
	if err != nil {
		b.Fatal(err)
	}
	x, err := newPackIndex(data)
	if err != nil {
		b.Fatal(err)
	}
	return &goGitIndex{x: x}
}

func (g *goGitIndex) FindOffset(h plumbing.Hash) (int64, error) {
	offset, ok, err := g.x.find(h[:])
	if err == nil && !ok {
		err = plumbing.ErrObjectNotFound
	}
	return offset, err
}

func (g *goGitIndex) FindHash(o int64) (plumbing.Hash, error) {
	if g.reverse == nil {
		g.reverse = make(map[int64]plumbing.Hash, g.x.count)
		for i := range g.x.count {
			offset, err := g.x.offset(i)
			if err != nil {
				return plumbing.ZeroHash, err
			}
			g.reverse[offset] = plumbing.Hash(g.x.name(i))
		}
	}
	return g.reverse[o], nil
}
