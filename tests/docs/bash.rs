//! The completion script for bash. It replaces that of clap_complete, which offers options where files are expected,
//! and no values after `=`.

use clap::{Arg, Command, ValueHint};

/// The script, with placeholders for the program and its options.
const SCRIPT: &str = r#"# Completes the options of @PROGRAM@ and their values; elsewhere, bash completes files.
_@FUNCTION@() {
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
        [[ " @JOINED@ " == *" $prev "* ]] || option="$prev"
    elif [[ "$prev" == -?* ]]; then
        # In a bundle of letters, the first that takes a value takes the rest of the word, or else the next word.
        for ((i = 1; i < ${#prev}; i++)); do
            if [[ "@LETTERS@" == *"${prev:i:1}"* ]]; then
                ((i == ${#prev} - 1)) && option="-${prev:i:1}"
                break
            fi
        done
    fi

    case "$option" in
@VALUES@        @FILES@)
            # Bash completes files itself, but not after '--option=' in the same word.
            local IFS=$'\n'
            [[ -n "$head" ]] && COMPREPLY=($(compgen -P "$head" -f -- "$cur"))
            return 0
            ;;
        @OTHERS@)
            # A number or a pattern.
            compopt +o default +o bashdefault 2>/dev/null
            return 0
            ;;
        *)
            [[ "$cur" == -* ]] || return 0
            values="@OPTIONS@"
            ;;
    esac
    COMPREPLY=($(compgen -P "$head" -W "$values" -- "$cur"))
    return 0
}

if [[ "${BASH_VERSINFO[0]}" -eq 4 && "${BASH_VERSINFO[1]}" -ge 4 || "${BASH_VERSINFO[0]}" -gt 4 ]]; then
    complete -F _@FUNCTION@ -o nosort -o bashdefault -o default @PROGRAM@
else
    complete -F _@FUNCTION@ -o bashdefault -o default @PROGRAM@
fi
"#;

/// Returns the script for all options of a program that are not hidden.
pub(crate) fn script(program: &str, command: &Command) -> String {
    let options: Vec<&Arg> = command.get_arguments().filter(|arg| !arg.is_positional() && !arg.is_hide_set()).collect();
    let with_values = || options.iter().copied().filter(|arg| arg.get_action().takes_values());
    let joined = with_values().filter(|arg| arg.is_require_equals_set()).flat_map(names);
    let letters = with_values().filter_map(Arg::get_short);
    let known = with_values().filter(|arg| !words(arg).is_empty());
    let values = known.map(|arg| format!("        {}) values=\"{}\" ;;\n", alternatives([arg]), words(arg)));
    let is_file = |arg: &&Arg| matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath);
    let unknown = || with_values().filter(|arg| words(arg).is_empty());
    let names = options.iter().flat_map(|arg| names(arg)).filter(|name| name != "-?");
    SCRIPT
        .replace("@PROGRAM@", program)
        .replace("@FUNCTION@", &program.replace('-', "_"))
        .replace("@JOINED@", &joined.collect::<Vec<_>>().join(" "))
        .replace("@LETTERS@", &letters.collect::<String>())
        .replace("@VALUES@", &values.collect::<String>())
        .replace("@FILES@", &alternatives(unknown().filter(is_file)))
        .replace("@OTHERS@", &alternatives(unknown().filter(|arg| !is_file(arg))))
        .replace("@OPTIONS@", &names.collect::<Vec<_>>().join(" "))
}

/// Returns the spellings of an option: its letter, its name and its visible aliases.
fn names(arg: &Arg) -> Vec<String> {
    let letter = arg.get_short().map(|letter| format!("-{letter}"));
    let long = arg.get_long().into_iter().chain(arg.get_visible_aliases().unwrap_or_default());
    letter.into_iter().chain(long.map(|name| format!("--{name}"))).collect()
}

/// Returns the names of options as a pattern for bash's `case`.
fn alternatives<'a>(options: impl IntoIterator<Item = &'a Arg>) -> String {
    options.into_iter().flat_map(names).collect::<Vec<_>>().join(" | ")
}

/// Returns the possible values of an option, separated by spaces; empty if they cannot be listed.
fn words(arg: &Arg) -> String {
    let values = arg.get_possible_values();
    let shown = values.iter().filter(|value| !value.is_hide_set()).map(|value| value.get_name());
    shown.collect::<Vec<_>>().join(" ")
}
