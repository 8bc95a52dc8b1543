#!/bin/sh
# Builds git-okstra from this folder and installs it. `install.sh --help` says how.
set -eu

usage() {
	cat <<'END'
usage: install.sh [--prefix DIR] [--demo | --uninstall]

Builds git-okstra with the Go found on PATH and installs it as DIR/bin/git-okstra,
with its man pages and completions below DIR/share.

  --prefix DIR  install below DIR (default: $PREFIX, else ~/.local)
  --demo        then run `git okstra demo` with what was installed
  --uninstall   remove what was installed, and the folders that this empties
  -h, --help    show this
END
}

# fail MESSAGE [HINT...]: an environment that does not fit, as git reports it.
fail() {
	printf 'error: %s\n' "$1" >&2
	shift
	for hint in "$@"; do
		printf 'hint: %s\n' "$hint" >&2
	done
	exit 128
}

misused() {
	printf 'error: %s (see install.sh --help)\n' "$1" >&2
	exit 2
}

# older HAVE WANT: true if the dotted version HAVE is before WANT.
older() {
	awk -v have="$1" -v want="$2" 'BEGIN {
		split(have, h, "."); split(want, w, ".")
		for (i = 1; i <= 3; i++) if (h[i] + 0 != w[i] + 0) exit !(h[i] + 0 < w[i] + 0)
		exit 1
	}'
}

check_git() {
	command -v git >/dev/null 2>&1 || fail 'git is not on PATH' "install git $git_needed or newer"
	git_found=$(git version | sed 's/^git version \([0-9.]*[0-9]\).*/\1/')
	if older "$git_found" "$git_needed"; then
		fail "git $git_found is too old" "install git $git_needed or newer"
	fi
}

# check_go asks the tool chain that would build here: Go 1.21 and later fetch the
# version that go.mod names, unless GOTOOLCHAIN forbids it.
check_go() {
	go_needed=$(sed -n 's/^go \([0-9.]*\).*/\1/p' "$source/go.mod")
	go_hint="get Go $go_needed or newer from your system's packages or https://go.dev/dl/, and put it first on PATH"
	command -v go >/dev/null 2>&1 || fail "go is not on PATH; Go $go_needed or newer is needed to build" "$go_hint"
	if go_found=$(cd "$source" && go env GOVERSION 2>/dev/null); then
		go_found=$(printf '%s\n' "$go_found" | sed 's/^go\([0-9.]*[0-9]\).*/\1/')
		case $go_found in
		[0-9]*) older "$go_found" "$go_needed" || return 0 ;;
		*) return 0 ;; # a development version names no number
		esac
	else
		go_found=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed 's/^go//')
	fi
	fail "Go ${go_found:-of unknown version} is too old; Go $go_needed or newer is needed to build" "$go_hint" \
		"or let Go 1.21 or newer fetch it: GOTOOLCHAIN=auto ./install.sh"
}

# version describes the commit; a folder that is no checkout of its own has none.
version() (
	unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
	if [ -e "$source/.git" ]; then
		git -C "$source" describe --tags --always --dirty 2>/dev/null || echo dev
	else
		echo dev
	fi
)

# put builds in a folder of its own and renames into place: who runs the old command
# at this moment keeps it, and nobody ever sees half a file.
put() {
	work=$(mktemp -d)
	trap 'rm -rf "$work"; rm -f "$bin/.git-okstra.$$"' EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	(
		cd "$source" &&
			CGO_ENABLED=0 go build -trimpath -buildvcs=false \
				-ldflags "-s -w -X main.version=$(version)" -o "$work/git-okstra" ./cmd/git-okstra
	) || fail 'build git-okstra: go build did not succeed'
	"$work/git-okstra" pages "$work/man1" || fail 'write the man pages: git-okstra pages did not succeed'
	for shell in bash zsh fish; do
		"$work/git-okstra" completion "$shell" >"$work/$shell" || fail "write the completion of $shell: git-okstra completion did not succeed"
	done
	mkdir -p "$bin"
	cp "$work/git-okstra" "$bin/.git-okstra.$$"
	chmod 755 "$bin/.git-okstra.$$"
	mv -f "$bin/.git-okstra.$$" "$bin/git-okstra"
	printf 'installed %s\n' "$bin/git-okstra"
	put_pages
}

# Where shells look for completions.
bash_at=share/bash-completion/completions
zsh_at=share/zsh/site-functions
fish_at=share/fish/vendor_completions.d

# put_pages puts the man pages where `git help okstra` finds them, and the completions
# where shells do; pages of an older version go.
put_pages() {
	drop_pages
	mkdir -p "$prefix/share/man/man1"
	cp "$work"/man1/git-okstra*.1 "$prefix/share/man/man1"
	mkdir -p "$prefix/$bash_at" "$prefix/$zsh_at" "$prefix/$fish_at"
	cp "$work/bash" "$prefix/$bash_at/git-okstra"
	cp "$work/zsh" "$prefix/$zsh_at/_git-okstra"
	cp "$work/fish" "$prefix/$fish_at/git-okstra.fish"
	chmod 644 "$prefix/share/man/man1"/git-okstra*.1 "$prefix/$bash_at/git-okstra" "$prefix/$zsh_at/_git-okstra" "$prefix/$fish_at/git-okstra.fish"
}

drop_pages() {
	rm -f "$prefix/share/man/man1/git-okstra.1" "$prefix/share/man/man1"/git-okstra-*.1 \
		"$prefix/$bash_at/git-okstra" "$prefix/$zsh_at/_git-okstra" "$prefix/$fish_at/git-okstra.fish"
}

# drop_empty removes folders below the prefix, innermost first, as far as they are empty.
drop_empty() {
	for dir in share/man/man1 share/man "$bash_at" "${bash_at%/*}" "$zsh_at" "${zsh_at%/*}" "$fish_at" "${fish_at%/*}" share bin; do
		rmdir "$prefix/$dir" 2>/dev/null || :
	done
	[ "$prefix" = "${HOME-}" ] || rmdir "$prefix" 2>/dev/null || :
}

say_path() {
	case ":$PATH:" in
	*":$bin:"*) ;;
	*)
		printf '%s is not on PATH; this puts it there:\n' "$bin"
		# shellcheck disable=SC2016 # $PATH is for the reader's shell
		printf '  export PATH="%s:$PATH"\n' "$(shell_word "$bin")"
		;;
	esac
}

# shell_word is a path within double quotes, for the reader's shell.
shell_word() { printf '%s\n' "$1" | sed 's/[\\"$`]/\\&/g'; }

# say_pages says how man, and so git help okstra, finds pages below a prefix that it does not
# know: man-db goes by PATH unless MANPATH is set; others know no more than MANPATH.
say_pages() {
	if command -v manpath >/dev/null 2>&1; then
		pages=$(PATH=$bin:$PATH manpath 2>/dev/null) || pages=
	else
		pages=${MANPATH-}
		[ -n "$pages" ] || return 0 # nothing is known of how man is set up here
	fi
	case ":$pages:" in
	*":$prefix/share/man:"*) ;;
	*)
		printf 'man does not look in %s; with this, git help okstra works:\n' "$prefix/share/man"
		# shellcheck disable=SC2016 # $MANPATH is for the reader's shell
		printf '  export MANPATH="%s:$MANPATH"\n' "$(shell_word "$prefix/share/man")"
		;;
	esac
}

# say_zsh says where zsh finds the completion: of folders below a prefix it knows those of
# the system alone.
say_zsh() {
	case ${SHELL-}:$prefix in
	*:/usr | *:/usr/local) ;;
	*/zsh:*)
		printf 'zsh completes git okstra with this in ~/.zshrc, before compinit:\n'
		# shellcheck disable=SC2016 # $fpath is for the reader's shell
		printf '  fpath=("%s" $fpath)\n' "$(shell_word "$prefix/$zsh_at")"
		;;
	esac
}

uninstall() {
	if [ ! -e "$bin/git-okstra" ] && [ ! -L "$bin/git-okstra" ]; then
		printf 'nothing to remove: no %s\n' "$bin/git-okstra"
		return
	fi
	rm -f "$bin/git-okstra"
	printf 'removed %s\n' "$bin/git-okstra"
	drop_pages
	drop_empty
}

git_needed=2.34
prefix=${PREFIX-}
demo=
remove=
while [ $# -gt 0 ]; do
	case $1 in
	--prefix)
		[ $# -ge 2 ] || misused '--prefix needs a folder'
		prefix=$2
		shift
		[ -n "$prefix" ] || misused '--prefix needs a folder'
		;;
	--prefix=?*) prefix=${1#--prefix=} ;;
	--prefix=) misused '--prefix needs a folder' ;;
	--demo) demo=1 ;;
	--uninstall) remove=1 ;;
	-h | --help)
		usage
		exit 0
		;;
	*) misused "unknown option '$1'" ;;
	esac
	shift
done
[ -z "$demo" ] || [ -z "$remove" ] || misused '--demo and --uninstall exclude each other'

if [ -z "$prefix" ]; then
	[ -n "${HOME-}" ] || fail 'HOME is not set' 'name the folder: install.sh --prefix DIR'
	prefix=$HOME/.local
fi
case $prefix in
/*) ;;
*) prefix=$(pwd)/$prefix ;;
esac
while [ "$prefix" != "${prefix%/}" ]; do
	prefix=${prefix%/}
done
bin=$prefix/bin

if [ -n "$remove" ]; then
	uninstall
	exit 0
fi
source=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
check_git
check_go
put
say_path
say_pages
say_zsh
if [ -n "$demo" ]; then
	PATH=$bin:$PATH git okstra demo
fi
