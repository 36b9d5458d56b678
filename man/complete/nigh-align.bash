# Completes the options of nigh-align and their values; elsewhere, bash completes files.
_nigh_align() {
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
            if [[ "kj" == *"${prev:i:1}"* ]]; then
                ((i == ${#prev} - 1)) && option="-${prev:i:1}"
                break
            fi
        done
    fi

    case "$option" in
        --strand) values="both forward reverse" ;;
        --format) values="tsv paf sam json align values" ;;
        --progress) values="auto always never" ;;
        --color | --colour) values="auto always never" ;;
        --engine) values="auto cpu cuda" ;;
        --matrix)
            # Bash completes files itself, but not after '--option=' in the same word.
            local IFS=$'\n'
            [[ -n "$head" ]] && COMPREPLY=($(compgen -P "$head" -f -- "$cur"))
            return 0
            ;;
        --match | --mismatch | --gap-open | --gap-extend | -k | --max-distance | --min-score | --top | -j | --threads | --device)
            # A number or a pattern.
            compopt +o default +o bashdefault 2>/dev/null
            return 0
            ;;
        *)
            [[ "$cur" == -* ]] || return 0
            values="--distance --lcs --global --local -p --pairs --strand --bytes --text --matrix --match --mismatch --gap-open --gap-extend -k --max-distance --min-score --all --top -c --cigar --bits --format --header --progress --color --colour -j --threads --engine --device --debug -V --version -h --help"
            ;;
    esac
    COMPREPLY=($(compgen -P "$head" -W "$values" -- "$cur"))
    return 0
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _nigh_align -o nosort -o bashdefault -o default nigh-align
else
    complete -F _nigh_align -o bashdefault -o default nigh-align
fi
