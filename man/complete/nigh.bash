# Completes the options of nigh and their values; elsewhere, bash completes files.
_nigh() {
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
        [[ " --best --progress --color --colour " == *" $prev "* ]] || option="$prev"
    elif [[ "$prev" == -?* ]]; then
        # In a bundle of letters, the first that takes a value takes the rest of the word, or else the next word.
        for ((i = 1; i < ${#prev}; i++)); do
            if [[ "kefgmABCMjdD" == *"${prev:i:1}"* ]]; then
                ((i == ${#prev} - 1)) && option="-${prev:i:1}"
                break
            fi
        done
    fi

    case "$option" in
        --hits) values="all best sites" ;;
        --best) values="all file record" ;;
        --strand) values="both forward reverse" ;;
        --binary-files) values="binary without-match text" ;;
        --format) values="lines matches ends align json tsv sites cas-offinder bed sam paf fasta count count-matches count-patterns histogram files files-without none" ;;
        --progress) values="auto always never" ;;
        --color | --colour) values="auto always never" ;;
        --engine) values="auto cpu cuda" ;;
        -d | --directories) values="read recurse skip" ;;
        -D | --devices) values="read skip" ;;
        -f | --file | --exclude-from)
            # Bash completes files itself, but not after '--option=' in the same word.
            local IFS=$'\n'
            [[ -n "$head" ]] && COMPREPLY=($(compgen -P "$head" -f -- "$cur"))
            return 0
            ;;
        -k | --max-errors | --edits | --overhang | --min-overlap | -e | --regexp | --near | --within | --ambiguous | --columns | --include | --exclude | --exclude-dir | -g | --glob | --record-start | --encoding | -m | --max-count | --max-hits | -A | --after-context | -B | --before-context | -C | --context | --group-separator | -M | --max-columns | --replace | --label | -j | --threads | --device | --memory | --shard)
            # A number or a pattern.
            compopt +o default +o bashdefault 2>/dev/null
            return 0
            ;;
        *)
            [[ "$cur" == -* ]] || return 0
            values="-k --max-errors --edits --transpositions --exact-group --overhang --min-overlap --bytes --hits --best --cost -e --regexp --near -f --file -F --fixed-strings -i --ignore-case -S --smart-case -w --word-regexp -x --line-regexp --within -v --invert-match --fasta --fastq --protein --strand --circular --ignore-gaps --ambiguous --columns --header -r --recursive -R --dereference-recursive --include --exclude --exclude-from --exclude-dir -g --glob --ignore-vcs -a --text -I --binary-files --no-decompress --ignore-ansi --record-start --encoding -z --null-data --crlf -s --no-messages --format -c --count --count-matches -l --files-with-matches -L --files-without-match -q --quiet -m --max-count --max-hits -o --only-matching -b --byte-offset -n --line-number --column --vimgrep --json --stats -H --with-filename -h --no-filename -A --after-context -B --before-context -C --context --passthru --group-separator -Z --null -M --max-columns --replace --trim --heading --label --line-buffered --progress --color --colour -j --threads --engine --device --debug --memory --shard -G --basic-regexp -d --directories -D --devices --no-config --help -V --version -0"
            ;;
    esac
    COMPREPLY=($(compgen -P "$head" -W "$values" -- "$cur"))
    return 0
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _nigh -o nosort -o bashdefault -o default nigh
else
    complete -F _nigh -o bashdefault -o default nigh
fi
