#!/usr/bin/env bash
# Times our whole `stage start` beside `git worktree add`, in turn, in one run, on
# repositories that it makes itself, and prints for each side the median and the least
# wall time, the processor time, the peak memory and the ratio to git.
#
#   bench/provision.sh [--sizes '5000 20000 60000'] [--repo GIT-DIR]… [--rounds 9] [--any-fs] [DIR]
#
# With --repo, clones of repositories that are there take the place of the made ones: their
# packs have deltas, and what git has to do for a file is then what it does at home.
# Memory is that of the largest process of a side, children included.
# DIR (default: $TMPDIR, else /var/tmp) has to be on a disk: in memory the two cost
# something else. --any-fs takes it as it is. Everything made there is removed again, at
# the end; until then there are five worktrees a round (60,000 files: 1.5 GB).
set -euo pipefail

sizes='5000 20000 60000'
rounds=9
repos=()
anyfs=
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
	--sizes | --rounds)
		[ $# -ge 2 ] || die "$1 needs a value" 2
		[ "$1" = --sizes ] && sizes=$2 || rounds=$2
		shift
		;;
	--repo)
		[ $# -ge 2 ] || die "$1 needs a value" 2
		repos+=("$(cd "$2" && git rev-parse --absolute-git-dir)") || die "no repository $2" 2
		shift
		;;
	--any-fs) anyfs=1 ;;
	-h | --help) usage ;;
	-*) die "unknown option '$1'" 2 ;;
	*) dir=$1 ;;
	esac
	shift
done
case $rounds in
'' | *[!0-9]* | 0) die "--rounds needs a number" 2 ;;
esac
for size in $sizes; do
	case $size in
	'' | *[!0-9]*) die "--sizes needs numbers" 2 ;;
	esac
done
: "${dir:=${TMPDIR:-/var/tmp}}"
[ -d "$dir" ] || die "no folder $dir"
timer=$(type -P time || true)
"${timer:-false}" -f %M true >/dev/null 2>&1 || die 'GNU time is needed as a program'
kind=$(stat -f -c %T "$dir")
case $kind in
tmpfs | ramfs | overlayfs | fuse* | nfs*)
	[ -n "$anyfs" ] || die "$dir is on $kind, no disk: name another folder, or give --any-fs"
	;;
esac

source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
root=$(mktemp -d "$dir/okstra-bench.XXXXXX")
trap 'rm -rf "$root"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# prepare installs what is measured and sets up the identity.
prepare() {
	"$source/install.sh" --prefix "$root/prefix" >/dev/null
	PATH=$root/prefix/bin:$PATH
	# Nothing of the caller's own git reaches what is measured.
	while read -r name; do
		unset "$name"
	done < <(git rev-parse --local-env-vars)
	unset XDG_CONFIG_HOME OKSTRA_RUN OKSTRA_ACTOR
	export HOME=$root/home OKSTRA_HOME=$root/okstra GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
	mkdir "$HOME" "$root/thrown"
	thrown=0
	git config --global user.name Bench
	git config --global user.email bench@example.org
	git config --global init.defaultBranch main
	git config --global gc.auto 0
	git config --global maintenance.auto false
	git config --global advice.detachedHead false
	cp "$source/cmd/git-okstra/demo/plan.md" "$root/plan.md"
}

# stream SIZE: a made repository of so many files.
stream() {
	git init -q "$root/repo"
	LC_ALL=C awk -v files="$1" -f "$source/bench/tree.awk" |
		git -C "$root/repo" -c pack.compression=1 fast-import --quiet --done
}

# copy GIT-DIR: a clone, with main at what its HEAD names.
copy() {
	git clone -q --no-checkout --no-hardlinks "$1" "$root/repo"
	git -C "$root/repo" branch -q -f bench-main "$(git -C "$1" rev-parse HEAD)"
	git -C "$root/repo" symbolic-ref HEAD refs/heads/bench-main
	git -C "$root/repo" branch -q -M bench-main main
}

# make SIZE|GIT-DIR: a repository with a checkout, and a bare one of the same objects.
make() {
	local old
	for old in "$root/repo" "$root/bare.git" "$OKSTRA_HOME"; do
		[ ! -e "$old" ] || throw_away "$old"
	done
	local at=$root/repo
	case $1 in
	/*) copy "$1" ;;
	*) stream "$1" ;;
	esac
	git -C "$at" reset -q --hard
	git clone -q --bare "$at" "$root/bare.git"
	# Files as old as most are: one as young as the index proves nothing.
	find "$at" -path "$at/.git" -prune -o -type f -exec touch -h -d '2023-11-15T00:00:00Z' {} +
	git -C "$at" update-index -q --refresh
	git -C "$at" okstra plan approve "$root/plan.md" --onto main -q
	git -C "$root/bare.git" okstra plan approve "$root/plan.md" --onto main -q
}

# flag on|off: makes the checkout's index one that proves nothing.
flag() {
	local name
	name=$(git -C "$root/repo" ls-files | sed '1!d')
	case $1 in
	on) git -C "$root/repo" update-index --assume-unchanged "$name" ;;
	off) git -C "$root/repo" update-index --no-assume-unchanged "$name" ;;
	esac
}

# measure SIDE REPO COMMAND…: one run, its figures added to SIDE's.
measure() {
	local side=$1 at=$2 began ended
	shift 2
	sync -f "$root" # what the last one wrote is not to be paid for by this one
	cd "$at"
	began=$EPOCHREALTIME
	"$timer" -o "$root/time" -f '%M %U %S' "$@" || die "$side: the command did not succeed"
	ended=$EPOCHREALTIME
	cd "$root"
	[ "$round" -eq 0 ] || # the first is a warm-up
		printf '%s %s\n' "$(((${ended/./} - ${began/./}) / 100))" "$(cat "$root/time")" >>"$root/figures.$side"
}

# throw_away puts a worktree aside. It goes at the end only: ext4 without a journal looks
# for each new file past all inodes that were freed in the last minutes, which would be
# all of the time.
throw_away() {
	thrown=$((thrown + 1))
	mv "$1" "$root/thrown/$thrown"
}

ours() {
	local stage=$OKSTRA_HOME/worktrees/demo/greeter/HELLO-1/stage-1
	measure "$1" "$2" git-okstra stage start 1 -q
	[ -e "$stage/.git" ] || die "no worktree at $stage"
	throw_away "$stage"
	git -C "$2" worktree prune
	git -C "$2" okstra stage release 1 -q
	git -C "$2" branch -q -D feat-HELLO-1-s1
}

git_adds() {
	local side=$1
	shift
	measure "$side" "$root/repo" git "$@" worktree add -q -b peer "$root/peer"
	throw_away "$root/peer"
	git -C "$root/repo" worktree prune
	git -C "$root/repo" branch -q -D peer
}

run_side() {
	case $1 in
	git) git_adds git ;;
	git8) git_adds git8 -c checkout.workers=8 ;;
	sibling) ours sibling "$root/repo" ;;
	bare) ours bare "$root/bare.git" ;;
	flagged)
		flag on
		ours flagged "$root/repo"
		flag off
		;;
	esac
}

# report SIZE: the table's rows.
report() {
	local side base basemem
	for side in git git8 sibling bare flagged; do
		sort -n "$root/figures.$side" | awk -v base="${base-}" -v basemem="${basemem-}" -v side="$side" -v files="$1" '
			{ wall[NR] = $1 / 10; cpu += $3 + $4; if ($2 > mem) mem = $2 }
			END {
				m = NR % 2 ? wall[(NR + 1) / 2] : (wall[NR / 2] + wall[NR / 2 + 1]) / 2
				if (base == "") { base = m "/" wall[1] "/" cpu / NR; basemem = mem }
				split(base, b, "/")
				names["git"] = "`git worktree add`"; names["git8"] = "the same, `-c checkout.workers=8`"
				names["sibling"] = "`stage start`, clean sibling"; names["bare"] = "`stage start`, bare repository"
				names["flagged"] = "`stage start`, no sibling of use"
				printf "| %d | %s | %.0f | %.0f | %.2f | %.2f | %.0f | %.2f | %.1f | %.2f |\n", files, names[side],
					m, wall[1], m / b[1], wall[1] / b[2], 1000 * cpu / NR, cpu / NR / b[3], mem / 1024, mem / basemem
				if (side == "git") print m "/" wall[1] "/" cpu / NR, mem >"/dev/stderr"
			}' 2>"$root/base"
		if [ "$side" = git ]; then
			read -r base basemem <"$root/base"
		fi
	done
}

prepare
printf 'git %s, %s, %s rounds in turn, load %s\n\n' "$(git version | cut -d ' ' -f 3)" "$kind" "$rounds" "$(cut -d ' ' -f 1 /proc/loadavg)"
echo '| files | what | median ms | least ms | median : git | least : git | cpu ms | cpu : git | peak MB | peak : git |'
echo '|---|---|---|---|---|---|---|---|---|---|'
sides=(git sibling git8 bare flagged)
[ ${#repos[@]} -eq 0 ] || sizes=
for size in $sizes "${repos[@]}"; do
	make "$size"
	rm -f "$root"/figures.*
	for ((round = 0; round <= rounds; round++)); do
		for ((i = 0; i < ${#sides[@]}; i++)); do # nobody always follows the same one
			run_side "${sides[(i + round) % ${#sides[@]}]}"
		done
	done
	report "$(git -C "$root/repo" ls-files -z | tr -dc '\0' | wc -c)"
done
