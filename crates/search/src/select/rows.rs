//! Formats hits as rows, with alignments if the rows show them.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use nigh_engine::Engine;
use nigh_pattern::{Pattern, PatternSet, SpelledString, SymbolSet};
use nigh_report::HitForm;
use nigh_text::alignment::{Alignment, Cigar};
use nigh_text::batch::Batch;
use nigh_text::hit::Hit;
use nigh_text::text::symbols;
use nigh_verify::{Aligner, EngineError};

/// Aligns hits, and formats them as rows if the report has rows.
pub(super) struct RowWriter<'a> {
    pub(super) form: &'a HitForm,
    aligner: Box<dyn Aligner + 'a>,
    /// The alignments of the current hits, if rows show them.
    pub(super) aligned: Vec<Alignment>,
    /// The letters of each pattern, computed on demand.
    letters: Vec<OnceCell<Box<str>>>,
    /// Symbol sets of the first patterns, each with its letter.
    known: Vec<(SymbolSet, char)>,
}

/// The position and alignment of a hit.
pub(super) struct Located<'a> {
    /// The range of the match: residues of the record, or bytes of the text. If the hit was not aligned, an empty range
    /// at its end.
    pub(super) positions: Range<u64>,
    /// The columns of the match in an aligned sequence; `None` if no gaps are hidden in the batch.
    pub(super) columns: Option<Range<u64>>,
    pub(super) cigar: Option<&'a Cigar>,
    /// The text of the match. If the hit was not aligned, it is empty.
    pub(super) matched: &'a [u8],
}

impl Located<'_> {
    /// Makes the position of a hit that was not aligned and ends at the position `end`.
    pub(super) fn unaligned(end: u64) -> Self {
        Located { positions: end..end, columns: None, cigar: None, matched: &[] }
    }
}

/// Maximum number of symbol sets whose letters are kept. It is enough for all sets of bases.
const KNOWN_SETS: usize = 16;
/// The number of patterns whose symbol sets are kept.
const FIRST_PATTERNS: usize = 64;

impl<'a> RowWriter<'a> {
    pub(super) fn new(form: &'a HitForm, engine: &'a Engine) -> Result<Self, EngineError> {
        let patterns = engine.patterns();
        let letters = patterns.patterns().iter().map(|_| OnceCell::new()).collect();
        let mut known: Vec<(SymbolSet, char)> = Vec::new();
        for set in patterns.patterns().iter().take(FIRST_PATTERNS).flat_map(Pattern::symbols) {
            if known.len() < KNOWN_SETS && !known.iter().any(|(other, _)| other.is_same(set)) {
                known.push((set.clone(), set.letter(patterns.alphabet())));
            }
        }
        Ok(RowWriter { form, aligner: engine.aligner()?, aligned: Vec::new(), letters, known })
    }

    /// Returns the letters of the pattern with the index `index`. For a regular expression, returns the string of the
    /// expression that is aligned with the matched text.
    pub(super) fn letters(&self, patterns: &PatternSet, index: usize, located: &Located<'_>) -> Cow<'_, str> {
        let letter = |set: &SymbolSet| {
            let known = self.known.iter().find(|(known, _)| known.is_same(set));
            known.map_or_else(|| set.letter(patterns.alphabet()), |&(_, letter)| letter)
        };
        let pattern = &patterns.patterns()[index];
        if let (Some(expression), Some(cigar)) = (pattern.expression(), located.cigar) {
            let matched = symbols(patterns.alphabet(), located.matched).map(|placed| placed.symbol);
            let mut spelled = SpelledString::default();
            let string = spelled.spell(expression, matched, cigar).iter();
            return string.filter_map(|&state| expression.set(state)).map(letter).collect::<String>().into();
        }
        let letters =
            self.letters[index].get_or_init(|| pattern.symbols().iter().map(letter).collect::<String>().into());
        Cow::Borrowed(letters)
    }

    pub(super) fn align(&mut self, batch: &Batch, hits: &[Hit]) -> Result<(), EngineError> {
        self.aligned.clear();
        if !self.form.wants_alignment() {
            return Ok(());
        }
        self.aligner.align(batch, hits, &mut self.aligned)
    }
}
