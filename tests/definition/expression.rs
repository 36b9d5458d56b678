//! Random regular expressions. They are made as trees and written as text, so that no parser is needed to know what
//! they mean.

use fastrand::Rng;

/// A class of symbols.
#[derive(Debug)]
pub(crate) struct Class {
    pub(crate) text: &'static str,
    contains: fn(char) -> bool,
    is_negated: bool,
}

const fn class(text: &'static str, contains: fn(char) -> bool) -> Class {
    Class { text, contains, is_negated: false }
}

const fn negated(text: &'static str, contains: fn(char) -> bool) -> Class {
    Class { text, contains, is_negated: true }
}

fn is_word(symbol: char) -> bool {
    symbol.is_alphanumeric() || symbol == '_'
}

/// The classes of expressions for text. Letters occur more than once to be drawn more often.
static TEXT_CLASSES: [Class; 17] = [
    class("a", |symbol| symbol == 'a'),
    class("a", |symbol| symbol == 'a'),
    class("k", |symbol| symbol == 'k'),
    class("k", |symbol| symbol == 'k'),
    class("1", |symbol| symbol == '1'),
    class("-", |symbol| symbol == '-'),
    class(" ", |symbol| symbol == ' '),
    class("é", |symbol| symbol == 'é'),
    class(r"\w", is_word),
    class(r"\d", |symbol| symbol.is_ascii_digit()),
    negated(r"\S", |symbol| symbol == ' '),
    negated(r"\W", is_word),
    class("[ak]", |symbol| matches!(symbol, 'a' | 'k')),
    class("[a1-]", |symbol| matches!(symbol, 'a' | '1' | '-')),
    negated("[^k]", |symbol| symbol == 'k'),
    negated("[^a ]", |symbol| matches!(symbol, 'a' | ' ')),
    negated(".", |_| false),
];

/// The classes of expressions for DNA.
static DNA_CLASSES: [Class; 13] = [
    class("A", |base| base == 'A'),
    class("C", |base| base == 'C'),
    class("C", |base| base == 'C'),
    class("G", |base| base == 'G'),
    class("T", |base| base == 'T'),
    class("N", |_| true),
    class("R", |base| matches!(base, 'A' | 'G')),
    class("[CT]", |base| matches!(base, 'C' | 'T')),
    class("g", |base| base == 'G'),
    negated("[^A]", |base| base == 'A'),
    negated("[^Y]", |base| matches!(base, 'C' | 'T')),
    negated("[^ar]", |base| matches!(base, 'A' | 'G')),
    negated(".", |_| false),
];

/// A condition on a position between two symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Assertion {
    Start,
    End,
    Boundary,
    NoBoundary,
    WordStart,
    WordEnd,
}

impl Assertion {
    pub(crate) const ALL: [Assertion; 6] = [
        Assertion::Start,
        Assertion::End,
        Assertion::Boundary,
        Assertion::NoBoundary,
        Assertion::WordStart,
        Assertion::WordEnd,
    ];

    fn text(self) -> &'static str {
        match self {
            Assertion::Start => "^",
            Assertion::End => "$",
            Assertion::Boundary => r"\b",
            Assertion::NoBoundary => r"\B",
            Assertion::WordStart => r"\<",
            Assertion::WordEnd => r"\>",
        }
    }

    /// Returns whether the assertion holds before the symbol with the number `position`.
    pub(crate) fn holds(self, text: &[char], position: usize) -> bool {
        let before = position.checked_sub(1).is_some_and(|before| is_word(text[before]));
        let after = text.get(position).is_some_and(|&after| is_word(after));
        match self {
            Assertion::Start => position == 0,
            Assertion::End => position == text.len(),
            Assertion::Boundary => before != after,
            Assertion::NoBoundary => before == after,
            Assertion::WordStart => !before && after,
            Assertion::WordEnd => before && !after,
        }
    }
}

/// A part of an expression.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Symbol(&'static Class),
    Assertion(Assertion),
    Sequence(Vec<Part>),
    Alternatives(Vec<Part>),
    Repeat {
        part: Box<Part>,
        least: usize,
        most: Option<usize>,
        is_lazy: bool,
    },
    /// An exact group.
    Exact(Box<Part>),
}

/// The kinds of parts that random expressions have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grammar {
    pub(crate) is_dna: bool,
    pub(crate) has_assertions: bool,
    /// Whether angle brackets delimit exact groups.
    pub(crate) has_exact_groups: bool,
    pub(crate) is_ascii: bool,
}

impl Class {
    /// Returns whether the class has a symbol.
    pub(crate) fn has(&self, symbol: char, ignores_case: bool) -> bool {
        let is_in = (self.contains)(symbol)
            || ignores_case && symbol.to_lowercase().chain(symbol.to_uppercase()).any(self.contains);
        is_in != self.is_negated
    }
}

impl Part {
    /// Returns the classes of which a symbol may be; `None` if this is not a symbol or alternatives of symbols.
    pub(crate) fn classes(&self) -> Option<Vec<&'static Class>> {
        match self {
            Part::Symbol(class) => Some(vec![*class]),
            Part::Alternatives(parts) => {
                let classes: Option<Vec<_>> = parts.iter().map(Part::classes).collect();
                Some(classes?.concat())
            }
            Part::Sequence(parts) if parts.len() == 1 => parts[0].classes(),
            Part::Repeat { part, least: 1, most: Some(1), .. } => part.classes(),
            _ => None,
        }
    }

    /// Draws an expression of some depth.
    pub(crate) fn random(rng: &mut Rng, grammar: Grammar, depth: usize) -> Part {
        match rng.u8(0..if depth == 0 { 4 } else { 14 }) {
            0 if grammar.has_assertions && rng.u8(0..3) == 0 => Part::Assertion(random_assertion(rng, grammar)),
            0..4 => Part::Symbol(random_class(rng, grammar)),
            4..9 => Part::Sequence((0..rng.usize(1..5)).map(|_| Part::random(rng, grammar, depth - 1)).collect()),
            9 | 10 => Part::Alternatives((0..rng.usize(2..4)).map(|_| Part::random(rng, grammar, depth - 1)).collect()),
            11 if grammar.has_exact_groups && depth == 2 => {
                Part::Exact(Box::new(Part::random(rng, grammar, depth - 1)))
            }
            _ => {
                let part = Box::new(Part::random(rng, grammar, depth - 1));
                let least = rng.usize(0..3);
                let most = (grammar.is_dna || rng.bool()).then(|| (least + rng.usize(0..4)).max(1));
                Part::Repeat { part, least, most, is_lazy: most != Some(least) && rng.u8(0..6) == 0 }
            }
        }
    }

    /// Returns the expression as text.
    pub(crate) fn text(&self) -> String {
        match self {
            Part::Symbol(class) => class.text.to_owned(),
            Part::Assertion(assertion) => assertion.text().to_owned(),
            Part::Sequence(parts) => parts.iter().map(Part::grouped).collect(),
            Part::Alternatives(parts) => parts.iter().map(Part::text).collect::<Vec<_>>().join("|"),
            Part::Repeat { part, least, most, is_lazy } => {
                let times = match (least, most) {
                    (0, None) => "*".to_owned(),
                    (1, None) => "+".to_owned(),
                    (0, Some(1)) => "?".to_owned(),
                    (least, None) => format!("{{{least},}}"),
                    (least, Some(most)) => format!("{{{least},{most}}}"),
                };
                format!("(?:{}){times}{}", part.text(), if *is_lazy { "?" } else { "" })
            }
            Part::Exact(part) => format!("<{}>", part.text()),
        }
    }

    fn grouped(&self) -> String {
        match self {
            Part::Alternatives(_) => format!("(?:{})", self.text()),
            _ => self.text(),
        }
    }

    /// Returns whether a part is or has an exact group.
    pub(crate) fn has_exact_group(&self) -> bool {
        match self {
            Part::Symbol(_) | Part::Assertion(_) => false,
            Part::Sequence(parts) | Part::Alternatives(parts) => parts.iter().any(Part::has_exact_group),
            Part::Repeat { part, .. } => part.has_exact_group(),
            Part::Exact(_) => true,
        }
    }

    /// Returns whether a part has a symbol.
    fn has_symbol(&self) -> bool {
        match self {
            Part::Symbol(_) => true,
            Part::Assertion(_) => false,
            Part::Sequence(parts) | Part::Alternatives(parts) => parts.iter().any(Part::has_symbol),
            Part::Repeat { part, .. } | Part::Exact(part) => part.has_symbol(),
        }
    }

    /// Returns whether a part has a quantifier for symbols that is lazy, or one that is greedy. A quantifier that allows one
    /// number of repetitions is neither.
    fn has_quantifier(&self, lazy: bool) -> bool {
        match self {
            Part::Symbol(_) | Part::Assertion(_) => false,
            Part::Sequence(parts) | Part::Alternatives(parts) => parts.iter().any(|part| part.has_quantifier(lazy)),
            Part::Repeat { part, least, most, is_lazy } => {
                *is_lazy == lazy && *most != Some(*least) && part.has_symbol() || part.has_quantifier(lazy)
            }
            Part::Exact(part) => part.has_quantifier(lazy),
        }
    }

    /// Returns whether a part has a lazy quantifier for symbols.
    pub(crate) fn is_lazy(&self) -> bool {
        self.has_quantifier(true)
    }

    /// Returns whether all quantifiers for symbols are lazy.
    pub(crate) fn is_only_lazy(&self) -> bool {
        self.is_lazy() && !self.has_quantifier(false)
    }
}

/// Draws an assertion. With exact groups, `\<` and `\>` are symbols.
fn random_assertion(rng: &mut Rng, grammar: Grammar) -> Assertion {
    let count = match (grammar.is_dna, grammar.has_exact_groups) {
        (true, _) => 2,
        (false, true) => 4,
        (false, false) => Assertion::ALL.len(),
    };
    *rng.choice(&Assertion::ALL[..count]).expect("one of them")
}

fn random_class(rng: &mut Rng, grammar: Grammar) -> &'static Class {
    let classes: &'static [Class] = if grammar.is_dna { &DNA_CLASSES } else { &TEXT_CLASSES };
    loop {
        let class = rng.choice(classes).expect("one of them");
        if class.text.is_ascii() || !grammar.is_ascii {
            return class;
        }
    }
}
