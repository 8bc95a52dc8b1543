package gitops

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"git-okstra/internal/testrepo"
)

// fakeGPG stands in for gpg as git calls it: it keeps what it was given and signs
// with a line of its own.
const fakeGPG = `#!/bin/sh
cat >"$0.signed"
echo "[GNUPG:] BEGIN_SIGNING H8" >&2 # git before 2.37 looks behind a line
echo "[GNUPG:] SIG_CREATED D 1 8 00 0 X" >&2
printf -- '-----BEGIN PGP SIGNATURE-----\n\nfor %s\n-----END PGP SIGNATURE-----\n' "$3"
`

// program writes an executable script into the sandbox.
func (s *sandbox) program(name, text string) string {
	s.t.Helper()
	s.write(name, text)
	path := s.path(name)
	if err := os.Chmod(path, 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// signedCommit makes a commit of one file on HEAD and puts it on a ref.
func signedCommit(t *testing.T, r *Repo, how Signing, message string) (Hash, error) {
	t.Helper()
	w := r.NewObjects()
	tree, err := w.Tree([]TreeEntry{{Name: "plan.md", Mode: ModeFile, Hash: w.Blob([]byte("text of " + message))}})
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.ResolveCommit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	who := Signature{Name: "A \"quoted\" 한국", Email: "a@x", When: testrepo.Epoch().In(time.FixedZone("", -5*3600))}
	c := CommitData{Tree: tree, Parents: []Hash{head}, Author: who, Committer: who, Message: message}
	h, err := r.SignedCommit(t.Context(), w, c, how)
	if err != nil {
		return "", err
	}
	var tx Transaction
	tx.Create("refs/heads/signed", h)
	return h, r.ApplyObjects(t.Context(), w, tx)
}

func TestSignedCommit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		s := newSandbox(t)
		s.repo("a b:c", "--object-format="+format) // a colon divides lists of object folders
		gpg := s.program("fake gpg", fakeGPG)
		s.git("a b:c", "config", "gpg.program", gpg)
		s.git("a b:c", "config", "user.signingKey", "KEY")
		s.git("a b:c", "config", "commit.gpgSign", "true")
		r := s.open("a b:c")
		if on, err := r.SignsCommits(); !on || err != nil {
			t.Errorf("signs %v, %v", on, err)
		}
		before := s.git("a b:c", "count-objects")
		h, err := signedCommit(t, r, Signing{Limit: time.Minute}, "subject\n\nbody\n\nKey: 값\n")
		if err != nil {
			t.Fatal(err)
		}
		raw := s.git("a b:c", "cat-file", "commit", "refs/heads/signed")
		if !strings.Contains(raw, "for KEY") || !strings.HasSuffix(raw, "subject\n\nbody\n\nKey: 값") ||
			!strings.Contains(raw, "author A \"quoted\" 한국 <a@x> 1767323045 -0500") {
			t.Errorf("%s: the commit is\n%s", format, raw)
		}
		c, err := r.ReadCommit(t.Context(), h)
		if err != nil || !c.Signed() {
			t.Errorf("signed %v, %v", c.Signed(), err)
		}
		signed, err := os.ReadFile(gpg + ".signed")
		if err != nil || !strings.HasPrefix(string(signed), "tree ") || strings.Contains(string(signed), "gpgsig") {
			t.Errorf("what was signed: %q, %v", signed, err)
		}
		if after := s.git("a b:c", "count-objects"); format == "sha1" && after != before {
			t.Errorf("loose objects: %s before, %s after", before, after)
		}
		s.git("a b:c", "fsck", "--strict")
	}
}

// TestSignedCommitBySSH has stock git verify what was made with a real key.
func TestSignedCommitBySSH(t *testing.T) {
	t.Parallel()
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		t.Skip("ssh-keygen is not installed")
	}
	s := newSandbox(t)
	s.repo("a")
	if out, err := exec.CommandContext(t.Context(), keygen, "-q", "-t", "ed25519", "-N", "", "-f", s.path("key")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pub, err := os.ReadFile(s.path("key.pub"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("signers", "a@x "+string(pub))
	for key, value := range map[string]string{
		"gpg.format": "ssh", "user.signingKey": s.path("key"), "gpg.ssh.allowedSignersFile": s.path("signers"),
	} {
		s.git("a", "config", key, value)
	}
	if _, err := signedCommit(t, s.open("a"), Signing{Limit: time.Minute}, "by ssh\n"); err != nil {
		t.Fatal(err)
	}
	s.git("a", "verify-commit", "refs/heads/signed")
}

// TestSigningFails: a program that refuses, is not there or never ends gives an error
// and leaves nothing.
func TestSigningFails(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	for name, text := range map[string]string{
		"refuses": "#!/bin/sh\necho 'no secret key' >&2\nexit 2\n",
		"silent":  "#!/bin/sh\ncat >/dev/null\n",
		"hangs":   "#!/bin/sh\nexec sleep 600\n",
		"absent":  "",
	} {
		program := s.path("absent")
		if text != "" {
			program = s.program(name, text)
		}
		s.git("a", "config", "gpg.program", program)
		objects := s.git("a", "count-objects", "-v")
		limit := time.Minute
		if name == "hangs" {
			limit = 100 * time.Millisecond
		}
		_, err := signedCommit(t, s.open("a"), Signing{Limit: limit}, "x\n")
		if !errors.Is(err, ErrSigning) {
			t.Errorf("%s: error %v", name, err)
		}
		if name == "hangs" && !strings.Contains(err.Error(), "no terminal") {
			t.Errorf("%s: error %v", name, err)
		}
		if after := s.git("a", "count-objects", "-v"); after != objects {
			t.Errorf("%s: objects were left: %s", name, after)
		}
	}
}

// TestSigningInterrupted: with a terminal there is no limit, but the command's end is
// one.
func TestSigningInterrupted(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.repo("a")
	s.git("a", "config", "gpg.program", s.program("hangs", "#!/bin/sh\n: >\"$0.started\"\nexec sleep 600\n"))
	r := s.open("a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for !exists(s.path("hangs.started")) {
			time.Sleep(5 * time.Millisecond)
		}
		cancel()
	}()
	w := r.NewObjects()
	tree, err := w.Tree(nil)
	if err != nil {
		t.Fatal(err)
	}
	who := Signature{Name: "A", Email: "a@x", When: testrepo.Epoch()}
	_, err = r.SignedCommit(ctx, w, CommitData{Tree: tree, Author: who, Committer: who, Message: "x\n"}, Signing{Terminal: true})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
