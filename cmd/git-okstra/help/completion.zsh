#compdef git-okstra
# zsh completion of git okstra; zsh's completion of git finds it by its name, _git-okstra.

_git-okstra () {
	local line
	local -a before values about
	before=("${(@Q)words[2,CURRENT]}")
	for line in "${(@f)$(command git okstra complete -- "${(@)before}" 2>/dev/null)}"; do
		[[ -n $line ]] || continue
		if [[ $line == :files* ]]; then
			_files
			return
		fi
		values+=("${line%%$'\t'*}")
		about+=("${line/$'\t'/  -- }")
	done
	(( $#values )) && compadd -l -d about -a values
}

if [[ $funcstack[1] == _git-okstra ]]; then
	_git-okstra "$@"
fi
