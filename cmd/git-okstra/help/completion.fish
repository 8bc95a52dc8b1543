# fish completion of git okstra.

function __git_okstra_complete
    set -l words (commandline -opc)
    set -l last (commandline -ct)
    if test "$words[1]" = git-okstra
        set -e words[1]
    else
        set -l at (contains -i -- okstra $words); or return
        set -e words[1..$at]
    end
    for line in (command git okstra complete -- $words "$last" 2>/dev/null)
        if string match -q -- ':files*' $line
            __fish_complete_path "$last"
        else
            printf '%s\n' $line
        end
    end
end

function __git_okstra_follows
    set -l words (commandline -opc)
    contains -- okstra $words
end

complete -c git-okstra -f -a '(__git_okstra_complete)'
complete -c git -f -n __git_okstra_follows -a '(__git_okstra_complete)'
