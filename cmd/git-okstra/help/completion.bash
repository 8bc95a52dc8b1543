# bash completion of git okstra, through git's own completion.

_git_okstra () {
	local first=$((${__git_cmd_idx:-1} + 1)) line prefix=
	# bash replaces only what follows the last of these
	case $cur in *[:=]*) prefix=${cur%"${cur##*[:=]}"} ;; esac
	COMPREPLY=()
	while IFS= read -r line; do
		line=${line%%$'\t'*}
		[ "$line" != :files ] || continue # bash's own names of files
		printf -v line %q "${line#"$prefix"}"
		COMPREPLY+=("$line ")
	done < <(git ${__git_C_args[@]+"${__git_C_args[@]}"} okstra complete -- "${words[@]:first:cword-first}" "$cur" 2>/dev/null)
}

if declare -F __git_complete >/dev/null; then
	__git_complete git-okstra _git_okstra
fi
