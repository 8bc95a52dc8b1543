package plan

import (
	"slices"
	"strings"
	"testing"
)

func TestFiles(t *testing.T) {
	for _, tc := range []struct {
		src  string
		want string
	}{
		{"- `src/a.go`", "src/a.go"},
		{"- src/a.go", "src/a.go"},
		{"- go.mod and `README.md`.", "README.md go.mod"},
		{"- `Makefile`, Dockerfile", "Makefile Dockerfile"},
		{"- `./src//a.go`, `src/x/../a.go`", "src/a.go src/a.go"},
		{"- `src/a.go:10-40` src/b.go:12, `src/c.go:Func`", "src/a.go src/c.go src/b.go"},
		{"- `src/a.go:Run()` src/b.go:Type.Run(). `src/c.go:10`, src/d.go:main()를 고친다", "src/a.go src/c.go src/b.go src/d.go"},
		{"- docs/a.md#part `docs/b.md#part`", "docs/b.md docs/a.md"},
		{"- `src/주문/상태.ts` and src/한국.go를 고친다", "src/주문/상태.ts src/한국.go"},
		{"- (src/a.go), \"src/b.go\"; 'c/d.ts'!", "src/a.go src/b.go c/d.ts"},
		{"- **src/a.go** *and* src/__init__.py __main__.py __x__ `a/__b__.py`", "a/__b__.py src/a.go src/__init__.py __main__.py"},
		{"- `cmd/tool` `src/api/`", "cmd/tool src/api"},
		{"- cmd/tool bare has no ending", ""},
		{"- `.env` `.gitignore` .github/workflows/ci.yml", ".env .gitignore .github/workflows/ci.yml"},
		{"| file |\n|---|\n| `a/b.go` |\n| x \\| c/d.go |", "a/b.go c/d.go"},
		{"#### src/a.go", "src/a.go"},
		{"> `src/a.go`", "src/a.go"},
		{"- src/a.go.", "src/a.go"},
		{"- see [the file](src/a.go)", ""},
		{"- [src/a.go](src/a.go)", "src/a.go"},
		{"- `../out/a.go` and a/../../b.go", "^../out/a.go ^../b.go"},
		{"- READMEmd v1.2.3 1.0 `1.2.3` e.g. i.e.", ""},
		{"- `GET /api/users` GET /api/users.json `/api/users` /price.json", ""},
		{"- https://x.org/a.go `https://x.org/a.go` <https://x.org/a.go> www.x.org/a.go", ""},
		{"- and/or `and/or` yes/no", ""},
		{"- `$HOME/a.go` ${DIR}/a.go `DATABASE_URL` ~/a.go `A=b/c`", ""},
		{"- Node.js, `vue.js`? and next.js.", "vue.js"},
		{"- `go test ./...` `npm run a.js`", ""},
		{"- `application/json` `github.com/x/y` `@scope/pkg` `users/{id}`", ""},
		{"- `res.json()` fmt.Println a.b.c `os.path`", ""},
		{"```\nsrc/a.go\n```\n", ""},
		{"<!-- src/a.go -->\n", ""},
		{"- x <!-- `src/a.go` --> y", ""},
		{"- mail a@b.py", ""},
		{"- `-o/x.go` --file=a/b.go", ""},
		{"- `.` `./` `..` `../..`", "^.."},
	} {
		d := Parse([]byte(tc.src + "\n"))
		var got []string
		for _, f := range d.Files(Span{0, len(d.Text())}) {
			name := f.Path
			if f.Outside {
				name = "^" + name
			}
			got = append(got, name)
		}
		if !slices.Equal(got, strings.Fields(tc.want)) {
			t.Errorf("%q:\n got %q\nwant %q", tc.src, got, strings.Fields(tc.want))
		}
	}
}

func TestFilePositions(t *testing.T) {
	d := Parse([]byte("한 `a/b.go` and c/d.go\n\n| x |\n|---|\n| \\| `e/f.go` |\n"))
	want := []string{"a/b.go 1:4", "c/d.go 1:16", "e/f.go 5:7"}
	var got []string
	for _, f := range d.Files(Span{0, len(d.Text())}) {
		got = append(got, f.Path+" "+d.Position(f.Offset).String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
