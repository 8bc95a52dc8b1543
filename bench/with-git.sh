#!/usr/bin/env bash
# Runs the tests that start git with another git than the one on PATH, package by package.
#
#   bench/with-git.sh DIR [PACKAGE…]
#
# DIR holds the program `git` itself, as its installation made it (PREFIX/bin): a git
# that was not installed does not find its own parts. Without a PACKAGE all those run
# that start git. docs/git-versions.md tells what came of it, and how to get a git.
set -euo pipefail

usage() {
	sed -n '2,/^set -/s/^# \{0,1\}//p' "$0"
	exit 2
}

if [ $# -lt 1 ] || [ ! -x "$1/git" ]; then usage; fi
dir=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- gitops notes hooks internal/testrepo internal/doctor internal/verify internal/chain \
	internal/remote internal/taskfolder internal/reconcile internal/lifecycle internal/workspace cmd/git-okstra

export PATH="$dir:$PATH"
git --version
failed=
for package; do
	nice -n 5 go test -count=1 -timeout 1h "./$package" || failed="$failed $package"
done
if [ -n "$failed" ]; then
	echo "failed with $(git --version):$failed" >&2
	exit 1
fi
