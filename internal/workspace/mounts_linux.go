package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// mountsBelow lists the mount points below a folder, links resolved.
func mountsBelow(dir string) ([]string, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // no /proc, so nothing is known
	}
	if err != nil {
		return nil, fmt.Errorf("look for mounted file systems: %w", err)
	}
	return parseMounts(string(data), dir), nil
}

// parseMounts reads proc_pid_mountinfo(5): the fifth word is the mount point, with
// blanks and backslashes in octal.
func parseMounts(text, dir string) []string {
	var points []string
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 5 {
			continue
		}
		if p := unescapeOctal(words[4]); strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/") || p == dir {
			points = append(points, p)
		}
	}
	return points
}

func unescapeOctal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
