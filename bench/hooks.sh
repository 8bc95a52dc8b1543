#!/usr/bin/env bash
# Times our hooks beside lefthook and a bare shell hook, in turn, in one run, on a
# repository of 20,000 files that it makes itself, and prints for each the median and
# the least wall time and the ratios:
#
#   nothing   one file staged that nothing has to be said of: the whole `git commit`, and
#             the hook alone
#   judged    fifty files staged in a stage's worktree, judged; lefthook runs one command
#             that does nothing
#   push      the first push of a branch of 500 commits
#
#   bench/hooks.sh [--files 20000] [--rounds 15] [DIR]
#
# DIR (default: $TMPDIR, else /var/tmp) is where it works; everything made there goes
# again. lefthook comes from the Go module proxy, at the version that the tests use.
set -euo pipefail

files=20000
rounds=15
dir=

die() {
	printf 'error: %s\n' "$1" >&2
	exit "${2:-128}"
}

while [ $# -gt 0 ]; do
	case $1 in
	--files | --rounds)
		[ $# -ge 2 ] || die "$1 needs a value" 2
		case $2 in '' | *[!0-9]* | 0) die "$1 needs a number" 2 ;; esac
		[ "$1" = --files ] && files=$2 || rounds=$2
		shift
		;;
	-h | --help)
		sed -n '2,/^set -/s/^# \{0,1\}//p' "$0"
		exit 0
		;;
	-*) die "unknown option '$1'" 2 ;;
	*) dir=$1 ;;
	esac
	shift
done
: "${dir:=${TMPDIR:-/var/tmp}}"
[ -d "$dir" ] || die "no folder $dir"

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
root=$(mktemp -d "$dir/okstra-bench.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

lefthook=$(sed -n 's/^\tlefthookVersion = "\(.*\)"$/\1/p' "$source/cmd/git-okstra/hooktools_test.go")
cached=${XDG_CACHE_HOME:-$HOME/.cache}/git-okstra-ci/lefthook-$lefthook/lefthook

prepare() {
	"$source/install.sh" --prefix "$root/prefix" >/dev/null
	if [ ! -x "$cached" ]; then
		echo "building lefthook $lefthook" >&2
		(cd "$root" && GOBIN=${cached%/*} GOFLAGS='' go install "github.com/evilmartians/lefthook@$lefthook") || die 'cannot have lefthook'
	fi
	cp "$cached" "$root/prefix/bin/lefthook"
	PATH=$root/prefix/bin:$PATH
	while read -r name; do
		unset "$name"
	done < <(git rev-parse --local-env-vars)
	unset XDG_CONFIG_HOME OKSTRA_RUN OKSTRA_ACTOR OKSTRA_SKIP
	export HOME=$root/home OKSTRA_HOME=$root/okstra GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true
	mkdir "$HOME"
	git config --global user.name Bench
	git config --global user.email bench@example.org
	git config --global init.defaultBranch main
	git config --global gc.auto 0
	git config --global maintenance.auto false
	repo=$root/repo
	git init -q "$repo"
	LC_ALL=C awk -v files="$files" -f "$source/bench/tree.awk" | git -C "$repo" -c pack.compression=1 fast-import --quiet --done
	git -C "$repo" reset -q --hard
	cp "$source/cmd/git-okstra/demo/plan.md" "$root/plan.md"
	git -C "$repo" okstra plan approve "$root/plan.md" --onto main -q
	stage=$(git -C "$repo" okstra stage start 1 --print-path)
	hooks
	staged
	history
}

# hooks makes a folder of hooks for each side; core.hooksPath chooses.
hooks() {
	local side name
	for side in bare ours lefthook; do
		mkdir "$root/$side"
		for name in pre-commit pre-push; do
			case $side in
			bare) printf '#!/bin/sh\nexit 0\n' ;;
			lefthook) printf '#!/bin/sh\nexec lefthook run %s "$@"\n' "$name" ;;
			ours) continue ;;
			esac >"$root/$side/$name"
			chmod 755 "$root/$side/$name"
		done
	done
	git -C "$repo" -c core.hooksPath="$root/ours" okstra hooks install --shared -q
	for side in "$repo" "$stage"; do
		printf 'output: false\npre-commit:\n  commands:\n    nothing:\n      run: "true"\npre-push:\n  commands:\n    nothing:\n      run: "true"\n' >"$side/lefthook.yml"
		echo lefthook.yml >>"$repo/.git/info/exclude"
	done
}

# staged stages what is committed again and again: one file, and fifty in the stage.
staged() {
	local i
	echo 'one more line' >>"$repo/notes.txt"
	git -C "$repo" add notes.txt
	mkdir -p "$stage/greet"
	for ((i = 1; i <= 50; i++)); do
		printf 'package greet\n\n// Greeting%d is one of many.\nfunc Greeting%d(name string) string {\n\tif name == "" {\n\t\treturn "hello"\n\t}\n\treturn "hello " + name\n}\n' "$i" "$i" >"$stage/greet/greeting$i.go"
	done
	git -C "$stage" add greet
}

history() {
	local i
	git init -q --bare "$root/hub.git"
	git -C "$repo" push -q --no-verify "$root/hub.git" main
	git -C "$repo" remote add hub "$root/hub.git"
	git -C "$repo" fetch -q hub
	{
		for ((i = 1; i <= 500; i++)); do
			printf 'commit refs/heads/topic\ncommitter Bench <bench@example.org> %d +0000\ndata 3\none\n' "$((1700000000 + i))"
			[ "$i" -gt 1 ] || printf 'from refs/heads/main^0\n'
			printf 'M 100644 inline topic/file%d.txt\ndata %d\nline %d\n\n' "$((i % 40))" "$((6 + ${#i}))" "$i"
		done
		echo 'done'
	} | git -C "$repo" fast-import --quiet --done
}

# measure NAME COMMAND…: one run, its time added to NAME's, in tenths of a millisecond.
measure() {
	local name=$1 began ended
	shift
	began=$EPOCHREALTIME
	"$@" >"$root/out" 2>&1 || { cat "$root/out" >&2 && die "$name: the command did not succeed"; }
	ended=$EPOCHREALTIME
	[ "$round" -eq 0 ] || echo "$(((${ended/./} - ${began/./}) / 100))" >>"$root/figures.$name"
}

run_side() {
	local with=core.hooksPath=$root/$1
	measure "nothing.$1" git -C "$repo" -c "$with" commit -q -m one
	git -C "$repo" reset -q --soft HEAD~1
	measure "alone.$1" git -C "$repo" -c "$with" hook run pre-commit
	measure "judged.$1" git -C "$stage" -c "$with" commit -q -m fifty
	git -C "$stage" reset -q --soft HEAD~1
	measure "push.$1" git -C "$repo" -c "$with" push -q hub topic
	git -C "$repo" push -q --no-verify hub :topic
}

report() {
	local what side base least
	echo '| what | hook | median ms | least ms | median : bare | median : lefthook |'
	echo '|---|---|---|---|---|---|'
	for what in nothing alone judged push; do
		for side in bare lefthook ours; do
			sort -n "$root/figures.$what.$side" | awk '{ t[NR] = $1 / 10 } END { print NR % 2 ? t[(NR + 1) / 2] : (t[NR / 2] + t[NR / 2 + 1]) / 2, t[1] }' >"$root/median.$side"
		done
		read -r base _ <"$root/median.bare"
		read -r least _ <"$root/median.lefthook"
		for side in bare lefthook ours; do
			awk -v what="$what" -v side="$side" -v bare="$base" -v peer="$least" \
				'{ printf "| %s | %s | %.1f | %.1f | %.2f | %.2f |\n", what, side, $1, $2, $1 / bare, $1 / peer }' "$root/median.$side"
		done
	done
}

prepare
printf 'git %s, lefthook %s, %s files, %s rounds in turn, load %s\n\n' \
	"$(git version | cut -d ' ' -f 3)" "$lefthook" "$files" "$rounds" "$(cut -d ' ' -f 1 /proc/loadavg)"
sides=(bare ours lefthook)
for ((round = 0; round <= rounds; round++)); do
	for ((i = 0; i < ${#sides[@]}; i++)); do # nobody always follows the same one
		run_side "${sides[(i + round) % ${#sides[@]}]}"
	done
done
report
