// Command conformscore says how well the surface rules do on labelled diffs: precision
// and recall for each surface and each language, and what was judged wrongly.
//
//	go run ./internal/conformscore [-v] [-rules FILE] DIR…
//
// docs/surfaces.md describes the forms of labelled diffs.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"git-okstra/internal/conform"
)

func main() {
	verbose := flag.Bool("v", false, "name each wrong judgement")
	file := flag.String("rules", "", "a file like .okstra/surfaces.yaml to add")
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *file, *verbose); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "error: %v\n", err)
		os.Exit(1)
	}
}

func run(out io.Writer, dirs []string, file string, verbose bool) error {
	if len(dirs) == 0 {
		return fmt.Errorf("name a folder of labelled diffs")
	}
	rules := conform.Builtin()
	if file != "" {
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if rules, err = rules.With(file, src); err != nil {
			return err
		}
	}
	for _, dir := range dirs {
		cases, err := readCases(os.DirFS(dir))
		if err != nil {
			return err
		}
		s, err := score(rules, cases)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(out, "## %s: %d diffs\n\n%s\n", dir, len(cases), s.table())
		if verbose {
			for _, w := range s.wrong {
				_, _ = fmt.Fprintln(out, w)
			}
		}
	}
	return nil
}
