//! `-0` to `-9`: the number of edits, as in agrep.

use std::ffi::{OsStr, OsString};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Command};

use super::bytes::bytes_of;

/// The digits. They are both the short options and the options' identifiers.
pub(super) const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// Returns the options `-0` to `-9`. The help shows only `-0`, whose text describes all.
pub(super) fn options() -> impl Iterator<Item = Arg> {
    DIGITS.iter().map(|digit| {
        let letter = digit.chars().next().expect("a digit");
        let about = match letter {
            '0' => "Allow at most this number of edits: -0 to -9 are -k 0 to -k 9".to_owned(),
            digit => format!("Same as -k {digit}"),
        };
        let option = Arg::new(*digit).short(letter).action(ArgAction::SetTrue).help(&about).hide(letter > '0');
        let option = option.help_heading("Matching options");
        if letter == '0' { option.long_help(format!("{about}\n\nA larger number needs -k.")) } else { option }
    })
}

/// Refuses a number of several digits: `-12` would be parsed as `-1 -2`.
pub(super) fn check_digits_stand_alone(command: &Command, arguments: &[OsString]) -> Result<(), clap::Error> {
    let last = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    for (index, word) in arguments[..last].iter().enumerate() {
        if let Some(number) = number_in(command, word)
            && holds_options(command, arguments, index)
        {
            let message = format!(
                "invalid option '-{number}': only -0 to -9 set the number of edits; use '-k {number}', or '-C {number}' for lines of context"
            );
            return Err(clap::Error::raw(ErrorKind::InvalidValue, message));
        }
    }
    Ok(())
}

/// Returns the first number of several digits among the short options of a word. Stops at an option that takes a value.
fn number_in(command: &Command, word: &OsStr) -> Option<String> {
    let letters = bytes_of(word).strip_prefix(b"-")?;
    let takes_value = |letter: u8| {
        let option = command.get_arguments().find(|arg| arg.get_short() == Some(char::from(letter)));
        option.is_none_or(|arg| arg.get_action().takes_values())
    };
    let flags = &letters[..letters.iter().position(|&letter| takes_value(letter)).unwrap_or(letters.len())];
    let numbers = flags.split(|letter| !letter.is_ascii_digit());
    numbers.into_iter().find(|number| number.len() > 1).map(|number| String::from_utf8_lossy(number).into_owned())
}

/// Returns true if the word at `index` is parsed as options, and not as the value of the previous option. To find out,
/// replaces the word by an unknown option, which clap then rejects by name.
fn holds_options(command: &Command, arguments: &[OsString], index: usize) -> bool {
    const UNKNOWN: &str = "--no-option-has-this-name";
    let mut arguments = arguments.to_vec();
    arguments[index] = UNKNOWN.into();
    let refused = command.clone().try_get_matches_from(arguments).err();
    let name = refused.as_ref().and_then(|error| error.get(ContextKind::InvalidArg));
    matches!(name, Some(ContextValue::String(name)) if name == UNKNOWN)
}
