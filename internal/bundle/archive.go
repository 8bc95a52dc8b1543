// Package bundle makes the file that goes with a bug report: an archive with the same
// bytes for the same content, and the disguise under which anything of a repository gets
// into it. What is let through is named; all the rest becomes a pseudonym.
package bundle

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// File is one file of a bundle. Name has no folder.
type File struct {
	Name string
	Data []byte
}

// Folder is where the files of a bundle are in its archive.
const Folder = "okstra-bundle/"

// Known reports whether the name of an archive says a form that Pack writes.
func Known(name string) bool {
	return slices.ContainsFunc([]string{".tar.gz", ".tgz", ".zip"}, func(end string) bool { return strings.HasSuffix(name, end) })
}

// Pack is the archive that its name calls for: zip, else a compressed tar. It says nothing
// of when or by whom it was made. The order of the files is kept.
func Pack(name string, files []File) ([]byte, error) {
	var out bytes.Buffer
	var err error
	if strings.HasSuffix(name, ".zip") {
		err = packZip(&out, files)
	} else {
		err = packTar(&out, files)
	}
	if err != nil {
		return nil, fmt.Errorf("pack bundle: %w", err)
	}
	return out.Bytes(), nil
}

func packTar(out io.Writer, files []File) error {
	compressed := gzip.NewWriter(out)
	w := tar.NewWriter(compressed)
	for _, f := range files {
		head := &tar.Header{Typeflag: tar.TypeReg, Name: Folder + f.Name, Mode: 0o644, Size: int64(len(f.Data)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(f.Data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func packZip(out io.Writer, files []File) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		part, err := w.CreateHeader(&zip.FileHeader{Name: Folder + f.Name, Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := part.Write(f.Data); err != nil {
			return err
		}
	}
	return w.Close()
}
