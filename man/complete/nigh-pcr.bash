# Completes the options of nigh-pcr and their values; elsewhere, bash completes files.
_nigh_pcr() {
    local cur="${COMP_WORDS[COMP_CWORD]}" prev="" option="" head="" values="" i
    COMPREPLY=()
    ((COMP_CWORD > 0)) && prev="${COMP_WORDS[COMP_CWORD - 1]}"

    # After '--' there are only files.
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ "${COMP_WORDS[i]}" == "--" ]] && return 0
    done

    # The option whose value is completed. Where '=' is in COMP_WORDBREAKS, '--color=al' is three words.
    if [[ "$cur" == "=" ]]; then
        option="$prev" cur=""
    elif [[ "$prev" == "=" ]]; then
        option="${COMP_WORDS[COMP_CWORD - 2]}"
    elif [[ "$cur" == --*=* ]]; then
        option="${cur%%=*}" head="${cur%%=*}=" cur="${cur#*=}"
    elif [[ "$prev" == --* ]]; then
        # Some options take a value only after '='.
        [[ " --progress --color --colour " == *" $prev "* ]] || option="$prev"
    elif [[ "$prev" == -?* ]]; then
        # In a bundle of letters, the first that takes a value takes the rest of the word, or else the next word.
        for ((i = 1; i < ${#prev}; i++)); do
            if [[ "elkj" == *"${prev:i:1}"* ]]; then
                ((i == ${#prev} - 1)) && option="-${prev:i:1}"
                break
            fi
        done
    fi

    case "$option" in
        --hits) values="best sites" ;;
        --format) values="tsv bed fasta json counts" ;;
        --progress) values="auto always never" ;;
        --color | --colour) values="auto always never" ;;
        --engine) values="auto cpu cuda" ;;
        )
            # Bash completes files itself, but not after '--option=' in the same word.
            local IFS=$'\n'
            [[ -n "$head" ]] && COMPREPLY=($(compgen -P "$head" -f -- "$cur"))
            return 0
            ;;
        -e | --primers | -l | --lengths | -k | --max-errors | --edits | --ambiguous | -j | --threads | --device)
            # A number or a pattern.
            compopt +o default +o bashdefault 2>/dev/null
            return 0
            ;;
        *)
            [[ "$cur" == -* ]] || return 0
            values="-e --primers -l --lengths --pool --circular --inner --primer-bases -k --max-errors --edits --hits --ambiguous --format --header -H --with-filename --progress --color --colour -j --threads --engine --device --debug -V --version -h --help"
            ;;
    esac
    COMPREPLY=($(compgen -P "$head" -W "$values" -- "$cur"))
    return 0
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _nigh_pcr -o nosort -o bashdefault -o default nigh-pcr
else
    complete -F _nigh_pcr -o bashdefault -o default nigh-pcr
fi
