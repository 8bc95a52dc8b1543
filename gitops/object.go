package gitops

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// ErrTooLarge is the sentinel for an object that is not read into memory.
var ErrTooLarge = errors.New("object too large")

// maxObject is the greatest object that read takes into memory.
const maxObject = 512 << 20

// errNotHere says that the fast path did not find the object; git may.
var errNotHere = errors.New("not in the mapped packs")

// The empty tree is known to git without being stored.
const (
	emptyTreeSHA1   Hash = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTreeSHA256 Hash = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// objectConfig says where objects lie and how git is run there.
type objectConfig struct {
	// Dirs are the object directories, the repository's own first; the
	// info/alternates of each are followed.
	Dirs []string
	// SHA256 and NoGoGit each send every object through git. Set NoGoGit too
	// where refs/replace is not empty: only git honours it.
	SHA256, NoGoGit bool
	// Fsync flushes what is written, as core.fsync asks for packs.
	Fsync bool
	// Git runs `git args…` in this repository and returns its standard output.
	Git func(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error)
	// BatchCommand is an unstarted `git cat-file --batch` in this repository.
	BatchCommand func(ctx context.Context) *exec.Cmd
	// BatchEnded is told of one that has ended, with when it began; may be nil.
	BatchEnded func(cmd *exec.Cmd, began time.Time)
}

// objectStore reads and writes objects. Loose objects and packs are read in
// process; whatever that cannot read (SHA-256, another index version, damage, a
// promised object) is asked from one `git cat-file --batch`, started at first
// need. All methods are safe for concurrent use.
type objectStore struct {
	cfg   objectConfig
	dirs  func() []string
	packs packSet
	batch *batchReader

	life   sync.RWMutex // held for reading while a mapping is in use
	closed bool
}

// newObjectStore does no I/O: the first read does.
func newObjectStore(cfg objectConfig) *objectStore {
	s := &objectStore{cfg: cfg, batch: newBatchReader(cfg.BatchCommand)}
	s.batch.ended = cfg.BatchEnded
	s.dirs = sync.OnceValue(func() []string { return objectDirs(cfg.Dirs) })
	s.packs.dirs, s.packs.cache = s.dirs, newDeltaCache(deltaCacheSize)
	return s
}

// Close ends the git process and gives the mappings back.
func (s *objectStore) Close() error {
	s.life.Lock()
	defer s.life.Unlock()
	s.closed = true
	s.packs.close()
	return s.batch.close()
}

// fast reports whether objects may be read and written without git.
func (s *objectStore) fast() bool { return !s.cfg.SHA256 && !s.cfg.NoGoGit }

// hashLen is the length of a binary object id.
func (s *objectStore) hashLen() int {
	if s.cfg.SHA256 {
		return 32
	}
	return sha1Len
}

// read returns an object's type and content, which the caller may keep and
// change. The error matches ErrMissing only if git says that it is absent, and
// ErrTooLarge above 512 MiB.
func (s *objectStore) read(ctx context.Context, h Hash) (ObjectType, []byte, error) {
	return s.readLimited(ctx, h, maxObject)
}

// readLimited is read with another limit, in bytes.
func (s *objectStore) readLimited(ctx context.Context, h Hash, limit int64) (ObjectType, []byte, error) {
	if err := ctx.Err(); err != nil {
		return "", nil, err
	}
	if !h.Valid() || len(h) != 2*s.hashLen() {
		return "", nil, fmt.Errorf("read object: %q is no object id here", h)
	}
	if h == emptyTreeSHA1 || h == emptyTreeSHA256 {
		return TypeTree, nil, nil
	}
	fastErr := errNotHere
	if s.fast() {
		var kind ObjectType
		var data []byte
		if kind, data, fastErr = s.readFast(h, limit); fastErr == nil {
			return kind, data, nil
		}
	}
	kind, data, err := s.readGit(ctx, h, limit)
	if errors.Is(err, ErrMissing) && !errors.Is(fastErr, errNotHere) {
		// Something stands there, but neither of us can read it: not absent.
		return "", nil, fmt.Errorf("read object %q: %w", h, fastErr)
	}
	return kind, data, err
}

// readGit asks the git process.
func (s *objectStore) readGit(ctx context.Context, h Hash, limit int64) (ObjectType, []byte, error) {
	s.life.RLock()
	closed := s.closed
	s.life.RUnlock()
	if closed {
		return "", nil, fmt.Errorf("read object %q: %w", h, os.ErrClosed)
	}
	return s.batch.read(ctx, h, limit)
}

// readFast reads without git, under a lock that keeps the mappings.
func (s *objectStore) readFast(h Hash, limit int64) (kind ObjectType, data []byte, err error) {
	s.life.RLock()
	defer s.life.RUnlock()
	if s.closed {
		return "", nil, os.ErrClosed
	}
	id, err := hex.DecodeString(string(h))
	if err != nil {
		return "", nil, fmt.Errorf("decode %q: %w", h, err)
	}
	err = guardFaults(func() error {
		kind, data, err = s.lookup(h, id, limit)
		if errors.Is(err, errNotHere) { // packed or repacked meanwhile?
			s.packs.rescan()
			kind, data, err = s.lookup(h, id, limit)
		}
		return err
	})
	return kind, data, err
}

// lookup tries packs, then loose objects, as git does.
func (s *objectStore) lookup(h Hash, id []byte, limit int64) (ObjectType, []byte, error) {
	for { // ends: each round without return marks one more pack as gone
		p, offset, ok := s.packs.locate(id)
		if !ok {
			return readLoose(s.dirs(), h, limit)
		}
		kind, data, err := p.read(offset, limit)
		if err == nil || !p.gone.Load() {
			return kind, data, err
		}
	}
}

// guardFaults turns a fault in a mapping (a file cut short beneath us, a dying
// disk) and an index out of range in a decoder into an error; git is asked then.
func guardFaults(read func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		switch r := recover().(type) {
		case nil:
		case runtime.Error:
			err = fmt.Errorf("decode: %w", r)
		default:
			panic(r)
		}
	}()
	return read()
}
