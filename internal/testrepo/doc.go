// Package testrepo makes real git repositories for tests. It is for _test files
// only; the layer test refuses any other importer.
//
// A repository is made from a recipe: a txtar archive testdata/repos/NAME.txtar
// whose comment part is a script, one statement a line, run in a fresh folder:
//
//	git ARGS…           run git
//	commit MESSAGE      git add --all, then git commit, one minute after the last
//	file NAME [MEMBER]  write the archive member of that name (or MEMBER)
//	exec NAME [MEMBER]  the same, executable
//	link NAME TARGET    make a symbolic link
//	import MEMBER       feed the member to git fast-import
//
// Words are separated by blanks; a part in double quotes is a Go string. There is
// no shell. Empty lines and lines that begin with # are skipped.
//
// Nothing of the caller's own configuration reaches these repositories: see [Env].
package testrepo
