#!/usr/bin/env bash
# Tries `git okstra conform touches` on real commits: some of each repository's, spread
# evenly over those that are no merges.
#
#   bench/touches.sh [-n COMMITS] [-o FOLDER] REPOSITORY…
#
# For each repository a line says how many commits were judged and how many of them
# touch each surface. With -o the verdict of each commit goes to FOLDER/NAME.txt, with
# its subject and the lines named, to be read beside `git show`.
set -euo pipefail

count=25
folder=
while getopts 'n:o:' option; do
	case $option in
	n) count=$OPTARG ;;
	o) folder=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || {
	echo 'usage: bench/touches.sh [-n COMMITS] [-o FOLDER] REPOSITORY…' >&2
	exit 2
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
go build -o "$scratch/git-okstra" ./cmd/git-okstra

for repository in "$@"; do
	name=$(basename "$(dirname "$(realpath "$repository/.")")")-$(basename "$(realpath "$repository")")
	report=${folder:+$folder/$name.txt}
	: "${report:=$scratch/report}"
	: >"$report"
	git -C "$repository" rev-list --no-merges --min-parents=1 HEAD >"$scratch/all"
	total=$(wc -l <"$scratch/all")
	step=$((total / count))
	[ "$step" -gt 0 ] || step=1
	awk -v step="$step" -v most="$count" 'NR % step == 1 % step && n < most { n++; print }' "$scratch/all" >"$scratch/chosen"
	judged=0
	while read -r commit; do
		git -C "$repository" log -1 --format='## %h %s' "$commit" >>"$report"
		(cd "$repository" && "$scratch/git-okstra" conform touches "$commit~1..$commit") >>"$report"
		judged=$((judged + 1))
	done <"$scratch/chosen"
	printf '%s: %d commits' "$name" "$judged"
	for surface in db io http external; do
		printf ', %s %d' "$surface" "$(grep -c "^touched: .*\b$surface [0-9]" "$report" || :)"
	done
	printf ', nothing %d\n' "$(grep -c '^touched: nothing' "$report" || :)"
done
