#!/usr/bin/env bash
# Times `git okstra chain` beside a shell script of plain git that does the same, in turn,
# in one run, on repositories that it makes itself, and prints medians and ratios.
#
#   bench/chain.sh [--stages 20] [--rounds 9] [--files 200] [--only overhead|jobs] [DIR]
#
# Overhead: a line of stages, each of which commits one file and lands, beside worktree
# add, commit, notes, update-ref and merge. Jobs: eight independent stages with a worker
# that takes a second, -j 2 beside -j 1. Processes of git are counted in a run of their own.
# DIR (default: $TMPDIR, else /var/tmp) is where all is made; it is removed at the end.
set -euo pipefail

stages=20
rounds=9
files=200
only=
dir=

usage() {
	sed -n '2,/^set -/s/^# \{0,1\}//p' "$0"
	exit 0
}

die() {
	printf 'error: %s\n' "$1" >&2
	exit "${2:-128}"
}

while [ $# -gt 0 ]; do
	case $1 in
	--stages | --rounds | --files | --only)
		[ $# -ge 2 ] || die "$1 needs a value" 2
		declare "${1#--}=$2"
		shift
		;;
	-h | --help) usage ;;
	-*) die "unknown option '$1'" 2 ;;
	*) dir=$1 ;;
	esac
	shift
done
for number in "$stages" "$rounds" "$files"; do
	case $number in
	'' | *[!0-9]* | 0) die "a number is needed, not '$number'" 2 ;;
	esac
done
case $only in
'' | overhead | jobs) ;;
*) die "--only takes overhead or jobs" 2 ;;
esac
: "${dir:=${TMPDIR:-/var/tmp}}"
[ -d "$dir" ] || die "no folder $dir"

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
root=$(mktemp -d "$dir/okstra-bench.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# prepare installs what is measured and cuts it off from the caller's own git.
prepare() {
	"$source/install.sh" --prefix "$root/prefix" >/dev/null
	PATH=$root/prefix/bin:$PATH
	local name
	while read -r name; do
		unset "$name"
	done < <(git rev-parse --local-env-vars)
	unset XDG_CONFIG_HOME OKSTRA_RUN OKSTRA_ACTOR
	export HOME=$root/home OKSTRA_HOME=$root/okstra GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
	mkdir "$HOME" "$root/times"
	git config --global user.name Bench
	git config --global user.email bench@example.org
	git config --global init.defaultBranch main
	git config --global gc.auto 0
	git config --global maintenance.auto false
	cat >"$root/worker.sh" <<'WORKER'
echo "$1" >"part-$1" && git add "part-$1" && git commit -qm "part $1"
WORKER
}

# plan N DEPENDS: a plan of N stages, one after the other or none after any.
plan() {
	awk -v stages="$1" -v line="$2" '
		/^\| 1 \| \[core\]/ { for (i = 1; i <= stages; i++)
			printf "| %d | part %d | %s | 2 | part-%d |\n", i, i, (line && i > 1 ? i - 1 : "(none)"), i
			print ""; skip = 1 }
		/^## 5\.5\.1 / { skip = 1; section = 1; next }
		/^## 5\.5\.2 / { section = 0 }
		section { body = body $0 "\n"; next }
		!skip { print }
		END { gsub(/greet\/rules\.txt/, "part-@", body)
			for (i = 1; i <= stages; i++) { text = body; gsub(/@/, i, text)
				printf "## 5.5.%d Stage %d: part %d\n%s", i, i, i, text } }
	' "$source/cmd/git-okstra/demo/plan.md"
}

# make PLAN-LINE N: a fresh repository with so many files and an approved plan.
make() {
	rm -rf "$root/repo" "$root/okstra" "$root/parts"
	git init -q "$root/repo"
	plan "$2" "$1" >"$root/repo/plan.md"
	local i
	mkdir "$root/repo/src"
	for ((i = 0; i < files; i++)); do
		printf 'file %d\n' "$i" >"$root/repo/src/$i"
	done
	git -C "$root/repo" add .
	git -C "$root/repo" commit -qm base
	git -C "$root/repo" okstra plan approve -q plan.md
	git -C "$root/repo" commit -qam approved
}

by_okstra() {
	# shellcheck disable=SC2016 # the worker expands it
	git okstra chain --all --land -q -- sh -c 'exec sh "$0" "$OKSTRA_STAGE"' "$root/worker.sh"
}

# by_git does the same with git alone.
by_git() {
	local n base head
	base=$(git rev-parse main)
	for ((n = 1; n <= stages; n++)); do
		git update-ref "refs/bench/reserved/$n" "$base" ''
		git worktree add -q -b "part-$n" "$root/parts/$n" "$base" 2>/dev/null
		git notes --ref=bench append -m "stage $n started" "$base"
		(cd "$root/parts/$n" && sh "$root/worker.sh" "$n")
		head=$(git rev-parse "part-$n")
		git notes --ref=bench append -m "stage $n done" "$head"
		printf 'create refs/bench/done/%d %s\ndelete refs/bench/reserved/%d\n' "$n" "$head" "$n" | git update-ref --stdin
		git merge -q "part-$n"
		base=$head
	done
}

# timed SIDE COMMAND…: one run in the repository, its milliseconds added to SIDE's.
timed() {
	local side=$1 from to
	shift
	from=$(date +%s%N)
	(cd "$root/repo" && "$@" >"$root/said" 2>&1) || { cat "$root/said" >&2; die "$side failed"; }
	to=$(date +%s%N)
	echo $(((to - from) / 1000000)) >>"$root/times/$side"
}

# counted COMMAND…: how many processes of git a run takes, git's own children included.
counted() {
	rm -rf "$root/trace" && mkdir "$root/trace"
	(cd "$root/repo" && GIT_TRACE2_EVENT="$root/trace" "$@" >/dev/null 2>&1)
	find "$root/trace" -type f | wc -l
}

median() { sort -n "$root/times/$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# row NAME SIDE PEER AIM
row() {
	awk -v name="$1" -v a="$(median "$2")" -v b="$(median "$3")" -v aim="$4" 'BEGIN {
		printf "%-40s %7d ms  %7d ms  ratio %.2f  (aim: at most %s)\n", name, a, b, a / b, aim }'
}

overhead() {
	local i
	for ((i = 0; i < rounds; i++)); do
		make 1 "$stages" && timed okstra by_okstra
		make 1 "$stages" && timed git by_git
	done
	row "$stages stages in a line, beside plain git" okstra git 1.3
	make 1 "$stages"
	local ours theirs
	ours=$(counted by_okstra)
	make 1 "$stages"
	theirs=$(counted by_git)
	printf 'processes of git: %d beside %d\n' "$ours" "$theirs"
}

# jobs: the worker takes a second.
jobs_at() {
	git okstra chain --all -j "$1" -q -- sh -c 'sleep 1; git commit -q --allow-empty -m done'
}

side_by_side() {
	local i
	for ((i = 0; i < (rounds + 2) / 3; i++)); do
		make 0 8 && timed two jobs_at 2
		make 0 8 && timed one jobs_at 1
	done
	row '8 stages of a second each, -j 2 : -j 1' two one 0.6
}

prepare
[ "$only" = jobs ] || overhead
[ "$only" = overhead ] || side_by_side
