//! Which options can be used together, and in which forms of output.
//!
//! [`RULES`] has the forms in which an option has an effect, [`EXCLUSIONS`] the options that exclude each other whatever the
//! form, and [`OVERSHADOWED`] and [`DEPENDENT`] those that have no effect with or without another. All other combinations are
//! accepted. An option of the configuration file that has no effect is ignored.

use clap::parser::ValueSource;
use clap::{ArgMatches, Command, ValueEnum};

use super::forms::Output;
use super::forms::Output::{
    Align, Bed, CasOffinder, Count, CountMatches, CountPatterns, Ends, Fasta, Files, FilesWithout, Histogram, Json,
    Lines, Matches, Nothing, Paf, Sam, Sites, Tsv,
};
use nigh_search::InputKind;

/// Forms that print lines or parts of them.
const PRINTED_LINES: &[Output] = &[Lines, Matches, Nothing];
/// Forms that print lines, or say of each match where it is.
const PLACED_LINES: &[Output] = &[Lines, Matches, Json, Nothing];

/// Options, and the forms in which they have an effect.
struct Rule {
    /// Identifiers of the options.
    options: &'static [&'static str],
    text: Forms,
    sequences: Forms,
    unfit: Unfit,
}

/// A set of forms.
#[derive(Clone, Copy)]
enum Forms {
    All,
    Only(&'static [Output]),
    Except(&'static [Output]),
}

/// Treatment of an option in a form in which it has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unfit {
    Refused,
    /// The option is ignored with a message, since the results are the same without it.
    Ignored,
}

const NONE: Forms = Forms::Only(&[]);

/// The options that do not have an effect in all forms.
const RULES: &[Rule] = &[
    Rule {
        options: &[
            "line_number",
            "byte_offset",
            "column",
            "cost",
            "after_context",
            "before_context",
            "context",
            "passthru",
            "max_columns",
            "replace",
        ],
        text: Forms::Only(PLACED_LINES),
        sequences: NONE,
        unfit: Unfit::Ignored,
    },
    Rule {
        options: &["vimgrep", "heading", "trim", "initial_tab", "group_separator"],
        text: Forms::Only(PRINTED_LINES),
        sequences: NONE,
        unfit: Unfit::Ignored,
    },
    Rule {
        options: &["null"],
        text: Forms::Only(&[Lines, Matches, Count, CountMatches, Files, FilesWithout, Nothing]),
        sequences: Forms::Only(&[Matches, Count, CountMatches, Files, FilesWithout, Nothing]),
        unfit: Unfit::Ignored,
    },
    Rule {
        options: &["no_filename"],
        text: Forms::Except(&[Ends, Json, Files, FilesWithout]),
        sequences: Forms::Except(&[Files, FilesWithout]),
        unfit: Unfit::Ignored,
    },
    Rule {
        options: &["with_filename"],
        text: Forms::All,
        sequences: Forms::Except(&[CasOffinder, Bed, Sam, Paf, Fasta]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["header"],
        text: Forms::Only(&[Tsv, Nothing]),
        sequences: Forms::Only(&[Tsv, Sites, Nothing]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["columns"],
        text: Forms::Only(&[Tsv, Nothing]),
        sequences: Forms::Only(&[Tsv, Nothing]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["max_hits"],
        text: Forms::Only(&[Ends, Align, Tsv, CountPatterns, Nothing]),
        sequences: Forms::Except(&[Fasta, Count, CountMatches, Histogram, Files, FilesWithout]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["hits", BEST_OF_RECORD],
        text: Forms::Only(&[Ends, Align, Tsv, CountPatterns, Nothing]),
        sequences: Forms::Except(&[Fasta, Count, Files, FilesWithout]),
        unfit: Unfit::Ignored,
    },
    Rule {
        options: &["invert"],
        text: Forms::Except(&[Ends, Align, Tsv, CountPatterns, Histogram]),
        sequences: Forms::Only(&[Tsv, Fasta, Count, CountMatches, Files, FilesWithout, Nothing]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["stats"],
        text: Forms::Except(&[CountPatterns]),
        sequences: Forms::Except(&[CountPatterns, Json]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["shard"],
        text: Forms::Except(&[Json, Files, FilesWithout, Nothing]),
        sequences: Forms::Except(&[Sam, Paf, Fasta, Files, FilesWithout, Nothing]),
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["circular"],
        text: NONE,
        sequences: Forms::Except(&[Sam, Paf, Bed, Fasta, CasOffinder]),
        unfit: Unfit::Refused,
    },
    Rule { options: &["overhang"], text: Forms::All, sequences: Forms::Except(&[CasOffinder]), unfit: Unfit::Refused },
    Rule {
        options: &["word", "bytes", "null_data", "ignore_ansi", "record_start"],
        text: Forms::All,
        sequences: NONE,
        unfit: Unfit::Refused,
    },
    Rule {
        options: &["protein", "strand", "ambiguous", "ignore_gaps"],
        text: NONE,
        sequences: Forms::All,
        unfit: Unfit::Refused,
    },
];

/// Options that exclude each other.
const EXCLUSIONS: &[(&str, &[&str])] = &[
    ("invert", &["best", "columns", "header", "hits", "max_hits"]),
    ("max_hits", &[BEST_OF_RECORD]),
    ("shard", &["max_hits", "max_count", "best", "heading", "passthru", "after_context", "before_context", "context"]),
    ("record_start", &["shard"]),
    ("circular", &["text", "fastq", "shard", "within", "near", "overhang", "line"]),
    ("ignore_gaps", &["text", "fastq", "circular"]),
    ("text", &["fasta", "fastq", "protein", "strand", "ambiguous"]),
    ("protein", &["strand"]),
    ("word", &["fasta", "fastq", "protein"]),
    ("bytes", &["fasta", "fastq", "protein"]),
    ("null_data", &["fasta", "fastq", "protein"]),
    ("null_data", &["crlf"]),
];

/// Options that leave others without an effect, which are ignored with a message, as ripgrep ignores them.
const OVERSHADOWED: &[(&str, &[&str])] =
    &[("invert", &["column", "cost"]), ("vimgrep", &["heading"]), ("no_filename", &["heading"])];

/// Options that have no effect without one of others.
const DEPENDENT: &[(&str, &[&str])] =
    &[("min_overlap", &["overhang"]), ("group_separator", &["after_context", "before_context", "context"])];

/// Stands for `--best=record`, the only value of `--best` that chooses among hits.
const BEST_OF_RECORD: &str = "best=record";

/// Values of options that count as options of their own: the option, the value, and what it stands for.
const VALUES: &[(&str, &str, &str)] = &[("best", "record", BEST_OF_RECORD), ("binary_files", "text", "text")];

/// An option that is given on the command line, or in the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenOption {
    id: String,
    /// The long name, with dashes.
    name: String,
}

/// An option or a form that does not suit an input, or options that exclude each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum InapplicableOption {
    #[error("{0} is for lines of text, but this input holds sequences; omit it, or use --text to search its lines")]
    ForText(String),
    #[error("{0} is for sequences, but this input holds text; omit it, or use --fasta to read it as sequences")]
    ForSequences(String),
    #[error("{option} cannot be used with {form}; {remedy}")]
    OtherForm { option: String, form: String, remedy: String },
    #[error(
        "for text, {option} needs {forms}; use one of these, or --fasta if the input holds sequences, or omit {option}"
    )]
    NeedsForm { option: String, forms: String },
    #[error(
        "for text, --format tsv needs --columns, as in --columns line_number,pattern,line; add it, or --fasta if the input holds sequences"
    )]
    NeedsColumns,
    #[error("{0} cannot be used with {1}; omit one of them")]
    Excluded(String, String),
}

impl Forms {
    fn has(self, form: Output) -> bool {
        match self {
            Forms::All => true,
            Forms::Only(forms) => forms.contains(&form),
            Forms::Except(forms) => !forms.contains(&form),
        }
    }
}

impl Rule {
    fn forms(&self, kind: InputKind) -> Forms {
        match kind {
            InputKind::Text => self.text,
            InputKind::Sequences => self.sequences,
        }
    }

    /// Returns whether the options have an effect in a form, for inputs of this kind.
    fn fits(&self, form: Output, kind: InputKind) -> bool {
        form.suits(kind) && self.forms(kind).has(form)
    }

    /// Returns whether the options have an effect for inputs of this kind, in some form.
    fn suits(&self, kind: InputKind) -> bool {
        Output::value_variants().iter().any(|&form| form != Nothing && self.fits(form, kind))
    }

    /// Returns the error about an option that has no effect in a form, for inputs of these kinds.
    fn other_form(&self, option: &GivenOption, form: &str, kinds: &[InputKind]) -> InapplicableOption {
        let (option, form) = (option.name.clone(), form.to_owned());
        let remedy = match self.few_forms(kinds) {
            Some(forms) => format!("use {forms}, or omit {option}"),
            None => format!("omit {option}"),
        };
        InapplicableOption::OtherForm { option, form, remedy }
    }

    /// Lists the forms in which the options have an effect, for inputs of these kinds; `None` if there are many.
    fn few_forms(&self, kinds: &[InputKind]) -> Option<String> {
        const FEW: usize = 5;
        let fits = |form: &Output| kinds.iter().any(|&kind| self.fits(*form, kind));
        let forms = Output::value_variants().iter().filter(|&&form| form != Nothing).filter(|form| fits(form));
        let names: Vec<String> = forms.map(|form| form.name()).collect();
        match names.split_last()? {
            (last, []) => Some(format!("--format {last}")),
            (last, others) if others.len() < FEW => Some(format!("--format {} or {last}", others.join(", "))),
            _ => None,
        }
    }
}

/// Returns the words for a form in messages: the option that chooses it, or what is printed by default.
fn words_for(form: Option<Output>, kind: InputKind) -> String {
    match (form, kind) {
        (Some(form), _) => form.option(),
        (None, InputKind::Text) => "lines of text".to_owned(),
        (None, InputKind::Sequences) => "rows of hits".to_owned(),
    }
}

fn rule_of(option: &GivenOption) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.options.contains(&&*option.id))
}

/// Returns the options among the parsed ones that a table names.
pub(super) fn given_options(command: &Command, matches: &ArgMatches) -> Vec<GivenOption> {
    let of_rules = RULES.iter().flat_map(|rule| rule.options);
    let of_exclusions = EXCLUSIONS
        .iter()
        .chain(OVERSHADOWED)
        .chain(DEPENDENT)
        .flat_map(|(option, others)| [option].into_iter().chain(*others));
    let of_values = VALUES.iter().map(|(option, ..)| option);
    let is_known =
        |id: &str| of_rules.clone().chain(of_exclusions.clone()).chain(of_values.clone()).any(|&known| known == id);
    let given = command.get_arguments().filter(|arg| {
        let id = arg.get_id().as_str();
        matches.value_source(id) == Some(ValueSource::CommandLine) && is_known(id)
    });
    let option =
        |arg: &clap::Arg| Some(GivenOption { id: arg.get_id().to_string(), name: format!("--{}", arg.get_long()?) });
    given.filter_map(option).collect()
}

fn is_given(id: &str, given: &[GivenOption]) -> bool {
    given.iter().any(|option| option.id == id)
}

/// Returns the form that the given options have if no form is chosen; `None` for the default.
pub(super) fn implied_form(given: &[GivenOption]) -> Option<Output> {
    (is_given("columns", given) || is_given("header", given)).then_some(Tsv)
}

/// Adds an option that stands for a value of another, if the other is given.
pub(super) fn add_value(given: &mut Vec<GivenOption>, id: &str, value: &str) {
    let is_value = |(option, name, _): &&(&str, &str, &str)| *option == id && *name == value;
    if let Some((_, _, stands_for)) = VALUES.iter().find(is_value)
        && let Some(option) = given.iter().find(|option| option.id == id)
    {
        let name = format!("{}={value}", option.name);
        given.push(GivenOption { id: (*stands_for).to_owned(), name });
    }
}

/// Iterates over the pairs of a table that are given.
fn combined<'a>(
    table: &'static [(&str, &[&str])],
    given: &'a [GivenOption],
) -> impl Iterator<Item = (&'a GivenOption, &'a GivenOption)> {
    let find = |id: &str| given.iter().find(|given| given.id == id);
    let pairs = table.iter().flat_map(|(option, others)| others.iter().map(move |other| (option, other)));
    pairs.filter_map(move |(option, other)| Some((find(option)?, find(other)?)))
}

/// Checks the options that are given, whatever the inputs hold. `form` is the form that is chosen, if one is.
pub(super) fn check(form: Option<Output>, given: &[GivenOption]) -> Result<(), InapplicableOption> {
    const KINDS: [InputKind; 2] = [InputKind::Text, InputKind::Sequences];
    if let Some((option, other)) = combined(EXCLUSIONS, given).next() {
        return Err(InapplicableOption::Excluded(option.name.clone(), other.name.clone()));
    }
    // Without a form, the kind of the input decides.
    let Some(form) = form else { return Ok(()) };
    let fits = |rule: &Rule| KINDS.iter().any(|&kind| rule.fits(form, kind));
    match refusing(given).find(|(_, rule)| !fits(rule)) {
        None => Ok(()),
        Some((option, rule)) => Err(rule.other_form(option, &form.option(), &KINDS)),
    }
}

/// Checks that the form and the options suit inputs of this kind.
pub(super) fn check_kind(
    form: Option<Output>,
    given: &[GivenOption],
    kind: InputKind,
) -> Result<(), InapplicableOption> {
    let unsuited = |name: String| match kind {
        InputKind::Text => InapplicableOption::ForSequences(name),
        InputKind::Sequences => InapplicableOption::ForText(name),
    };
    if let Some(form) = form.filter(|form| !form.suits(kind)) {
        return Err(unsuited(form.option()));
    }
    if form == Some(Tsv) && kind == InputKind::Text && !is_given("columns", given) {
        return Err(InapplicableOption::NeedsColumns);
    }
    let fits = |rule: &Rule| rule.fits(form.unwrap_or(Output::default_for(kind)), kind);
    match refusing(given).find(|(_, rule)| !fits(rule)) {
        None => Ok(()),
        Some((option, rule)) if !rule.suits(kind) => Err(unsuited(option.name.clone())),
        Some((option, rule)) => Err(match (form, kind, rule.few_forms(&[kind])) {
            (None, InputKind::Text, Some(forms)) => {
                InapplicableOption::NeedsForm { option: option.name.clone(), forms }
            }
            _ => rule.other_form(option, &words_for(form, kind), &[kind]),
        }),
    }
}

/// Returns messages about the options that have no effect and are ignored. `anywhere` has the options of the command line and
/// of the configuration file, and `kinds` the kinds of inputs that are searched.
pub(super) fn ignored(
    form: Option<Output>,
    given: &[GivenOption],
    anywhere: &[GivenOption],
    kinds: &[InputKind],
) -> Vec<String> {
    if form == Some(Nothing) {
        return Vec::new();
    }
    let overshadowed = combined(OVERSHADOWED, given);
    let mut messages: Vec<String> =
        overshadowed.map(|(option, other)| format!("{} has no effect with {}", other.name, option.name)).collect();
    let form_for = |kind| form.unwrap_or(Output::default_for(kind));
    let fits = |rule: &Rule| kinds.iter().any(|&kind| rule.fits(form_for(kind), kind));
    for (option, others) in DEPENDENT {
        let is_set = |id: &str| anywhere.iter().any(|given| given.id == id);
        let has_effect = |option: &&GivenOption| rule_of(option).is_none_or(fits);
        let option = given.iter().find(|given| given.id == *option).filter(has_effect);
        if let Some(option) = option.filter(|_| !others.iter().any(|other| is_set(other))) {
            let names: Vec<String> = others.iter().map(|other| format!("--{}", other.replace('_', "-"))).collect();
            messages.push(format!("{} has no effect without {}", option.name, names.join(" or ")));
        }
    }
    for (option, rule) in given.iter().filter_map(|option| Some((option, rule_of(option)?))) {
        if rule.unfit == Unfit::Refused || fits(rule) {
            continue;
        }
        messages.push(match (form, kinds) {
            (None, [InputKind::Sequences]) if !rule.suits(InputKind::Sequences) => {
                format!("{} has no effect on sequences; use --text to search their lines", option.name)
            }
            (form, &[kind, ..]) => format!("{} has no effect with {}", option.name, words_for(form, kind)),
            (_, []) => continue,
        });
    }
    messages
}

/// Returns whether an option is given that has an effect only on printed lines.
pub(super) fn asks_for_lines(given: &[GivenOption]) -> bool {
    given.iter().filter_map(rule_of).any(|rule| rule.unfit == Unfit::Ignored && !rule.suits(InputKind::Sequences))
}

/// Iterates over the options that are refused where they have no effect, with their rules.
fn refusing(given: &[GivenOption]) -> impl Iterator<Item = (&GivenOption, &'static Rule)> {
    let with_rules = given.iter().filter_map(|option| Some((option, rule_of(option)?)));
    with_rules.filter(|(_, rule)| rule.unfit == Unfit::Refused)
}
