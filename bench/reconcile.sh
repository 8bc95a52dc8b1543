#!/usr/bin/env bash
# Rewrites real commits in the ways people do and counts how many of the stages made of
# them `git okstra reconcile` finds again, misses, or takes for what they are not.
#
#   bench/reconcile.sh [--stages N] REPOSITORY…
#
# A REPOSITORY is any clone, bare or not. It is borrowed from and never written to. N
# stages of one to three commits are made of each (default 200).
set -euo pipefail

stages=200
if [ "${1:-}" = --stages ]; then
	stages=${2:?--stages needs a number}
	shift 2
fi
[ $# -gt 0 ] || {
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "$0" >&2
	exit 2
}
repositories=()
for repository in "$@"; do
	repositories+=("$(cd -- "$repository" && git rev-parse --path-format=absolute --git-common-dir)")
done
cd "$(dirname "${BASH_SOURCE[0]}")/.."
for repository in "${repositories[@]}"; do
	echo "== $repository"
	OKSTRA_TRIAL_REPO=$repository OKSTRA_TRIAL_STAGES=$stages \
		go test ./internal/reconcile -run 'Trial$' -count 1 -timeout 60m -v
done
