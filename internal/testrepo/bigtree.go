package testrepo

import (
	"bufio"
	"fmt"
	"io"
	"testing"
)

// perFolder is how many files BigTree puts in one folder.
const perFolder = 100

// keepHeap stops glibc from giving the heap's end back after each object: zlib's
// buffers are just large enough for that, and it is two thirds of the time.
var keepHeap = []string{"MALLOC_TOP_PAD_=16777216", "MALLOC_TRIM_THRESHOLD_=67108864"}

// BigTree makes a repository with one commit of that many small files on main, all
// different, checked out: d0000/f0000.txt to d0000/f0099.txt, d0001/f0100.txt and so
// on. The objects go through git fast-import into one pack.
func BigTree(t testing.TB, files int) *Repo {
	t.Helper()
	r := fresh(t)
	r.Git("init", "--quiet", "-b", "main")
	reader, writer := io.Pipe()
	go func() { _ = writer.CloseWithError(stream(writer, files)) }()
	_, err := r.git(keepHeap, reader, "fast-import", "--quiet")
	// Frees the writer when git ended early.
	_ = reader.Close()
	if err != nil {
		t.Fatal(err)
	}
	r.commits = 1
	r.Git("reset", "--quiet", "--hard")
	return r
}

// stream writes the commit as git-fast-import(1) wants it.
func stream(to io.Writer, files int) error {
	w := bufio.NewWriter(to)
	message := "many files"
	date := Epoch().Add(Tick).Unix()
	fmt.Fprintf(w, "commit refs/heads/main\nauthor %s <%s> %d +0000\ncommitter %s <%s> %d +0000\n",
		Name, Email, date, Name, Email, date)
	fmt.Fprintf(w, "data %d\n%s\n", len(message), message)
	for i := range files {
		content := fmt.Sprintf("file %d\n", i)
		fmt.Fprintf(w, "M 100644 inline d%04d/f%04d.txt\ndata %d\n%s\n", i/perFolder, i, len(content), content)
	}
	fmt.Fprintln(w, "done")
	return w.Flush()
}
