package conform

import (
	"go/scanner"
	"go/token"
)

// goPieces reads Go with Go's own scanner; chroma's Go lexer is no definition but code
// of the package that we do without (see lexers/README.md).
func goPieces(src string) []piece {
	file := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, []byte(src), func(token.Position, string) {}, scanner.ScanComments)
	var out []piece
	last := 0
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok != token.COMMENT && tok != token.STRING && tok != token.CHAR {
			continue
		}
		from := file.Offset(pos)
		end := min(from+goLength(src[from:], lit), len(src))
		out = append(out, piece{isCode, src[last:from]})
		k := isString
		if tok == token.COMMENT {
			k = isComment
		}
		out = append(out, piece{k, src[from:end]})
		last = end
	}
	return append(out, piece{isCode, src[last:]})
}

// goLength is the length of a token in the source; the scanner leaves carriage returns
// out of what it gives.
func goLength(src, lit string) int {
	i := 0
	for j := range len(lit) {
		for i < len(src) && src[i] == '\r' && lit[j] != '\r' {
			i++
		}
		i++
	}
	return i
}
