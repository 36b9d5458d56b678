//! The groups of matches, and text in place of matches.

use std::borrow::Cow;
use std::ops::Range;

use super::Searcher;
use super::matches::Match;
use nigh_pattern::{MatchGroups, Strand, expand_match, refers_to_groups};
use nigh_text::alignment::Cigar;
use nigh_text::alphabet::{is_residue, reverse_complement};
use nigh_verify::EngineError;

/// The groups of a match, by their numbers and names; see [`Searcher::captures`].
///
/// Group 0 is the match. The other groups are numbered by their opening parentheses, from 1. On the reverse strand, the texts
/// of groups are those of the pattern's direction.
///
/// # Examples
///
/// ```
/// use nigh::{Alphabet, Notation, Searcher};
///
/// let builder = Searcher::builder(Alphabet::Text).pattern(r"user (?<name>\w+) (failed|refused)");
/// let searcher = builder.notation(Notation::Regex).captures(true).max_edits(1).build()?;
/// let found = searcher.find_iter(b"usr ann refused").best().next().expect("one match");
/// let groups = searcher.captures(&found).expect("the searcher keeps groups");
///
/// let name = groups.name("name").expect("the group took part");
/// assert_eq!((&*name.text(), name.range()), (&b"ann"[..], 4..7));
/// assert_eq!(groups.get(2).expect("the group took part").text(), &b"refused"[..]);
/// # Ok::<(), nigh::SearcherError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Captures<'a> {
    groups: MatchGroups<'a>,
    /// Offset of the match in the text.
    start: usize,
    strand: Strand,
}

/// A group of a match that took part in it: a range of the text; see [`Captures`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CapturedGroup<'t> {
    text: &'t [u8],
    start: usize,
    strand: Strand,
}

/// The reason why text in place of matches cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplaceError {
    /// The template refers to groups, but the searcher was built without them.
    #[error("the replacement refers to groups, but the searcher was built without captures")]
    NoCaptures,
    /// An engine failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl<'a> Captures<'a> {
    /// Returns the group with a number; `None` if there is no such group, or if it took no part in the match.
    pub fn get(&self, number: usize) -> Option<CapturedGroup<'a>> {
        let start = self.start + self.groups.range(number)?.start;
        Some(CapturedGroup { text: self.groups.text(number)?, start, strand: self.strand })
    }

    /// Returns the group with a name; `None` if there is no such group, or if it took no part in the match.
    pub fn name(&self, name: &str) -> Option<CapturedGroup<'a>> {
        self.get(self.groups.groups().number(name)?)
    }

    /// Iterates over the groups in the order of their numbers. A group that took no part in the match is `None`.
    pub fn iter(&self) -> impl Iterator<Item = Option<CapturedGroup<'a>>> {
        (0..self.groups.groups().count()).map(|number| self.get(number))
    }

    /// Appends `template` to `out`. `$0` stands for the match, `$1`, `$name` and `${name}` for the text of a group, and
    /// `$$` for a dollar sign. A group that does not exist or took no part in the match is empty. On the reverse strand, the
    /// texts are those of the forward strand, in which the match is replaced.
    pub fn expand(&self, template: &[u8], out: &mut Vec<u8>) {
        self.groups.expand(template, out);
    }
}

impl<'t> CapturedGroup<'t> {
    /// The offset in the text of the first byte of the group.
    pub fn start(&self) -> usize {
        self.start
    }

    /// The offset in the text just past the last byte of the group.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// The range of bytes of the text that the group covers.
    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// The text of the group, in the direction of the pattern. On the reverse strand, this is the reverse complement of the
    /// residues in [`range`](Self::range).
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Notation, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Dna).pattern("(?<umi>GG)TT").notation(Notation::Regex);
    /// let searcher = builder.captures(true).max_edits(0).build()?;
    /// let found = searcher.find_iter(b"TTAACCTT").next().expect("one match");
    /// let umi = searcher.captures(&found).and_then(|groups| groups.name("umi")).expect("the group took part");
    /// assert_eq!((&*umi.text(), umi.range()), (&b"GG"[..], 4..6));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn text(&self) -> Cow<'t, [u8]> {
        match self.strand {
            Strand::Forward => Cow::Borrowed(self.text),
            Strand::Reverse => {
                let mut residues: Vec<u8> = self.text.iter().copied().filter(|&byte| is_residue(byte)).collect();
                reverse_complement(&mut residues);
                Cow::Owned(residues)
            }
        }
    }
}

impl Searcher {
    /// Returns the groups of a match that this searcher has found; `None` unless the searcher was built with
    /// [`captures`](super::SearcherBuilder::captures).
    ///
    /// The alignment of a match with edits relates it to a string that the pattern matches. The borders of the groups in
    /// this string are carried over to the match. A symbol that only the text has, at the border of two groups, belongs to
    /// the first.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Notation, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Dna).pattern("([ACGT]{4})GATTACA").notation(Notation::Regex);
    /// let searcher = builder.captures(true).max_edits(1).build()?;
    /// let found = searcher.find_iter(b"CCAGTGATACATT").best().next().expect("one match");
    /// assert_eq!(searcher.captures(&found).and_then(|groups| groups.get(1)).map(|group| group.range()), Some(1..5));
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn captures<'a>(&'a self, found: &Match<'a>) -> Option<Captures<'a>> {
        self.captures_of(found.of_searcher, found.start, found.text, &found.cigar)
    }

    /// Returns the groups of a match of an alternative of the patterns. The patterns for sites come after all others.
    /// `matched` is the text of the match, which starts at the offset `start`, and `cigar` its alignment.
    pub(crate) fn captures_of<'a>(
        &'a self,
        alternative: usize,
        start: usize,
        matched: &'a [u8],
        cigar: &Cigar,
    ) -> Option<Captures<'a>> {
        let (patterns, alternative) = match alternative.checked_sub(self.engine.patterns().patterns().len()) {
            Some(of_sites) => (self.site_engine().patterns(), of_sites),
            None => (self.engine.patterns(), alternative),
        };
        let groups = patterns.groups_of(alternative, matched, cigar)?;
        Some(Captures { groups, start, strand: patterns.patterns()[alternative].strand() })
    }

    /// Returns the names of the groups of a pattern in the order of their numbers, from group 0; `None` for a group without
    /// a name. There are none if the searcher was built without [`captures`](super::SearcherBuilder::captures), or if
    /// there is no pattern with this index.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Notation, Searcher};
    ///
    /// let builder = Searcher::builder(Alphabet::Text).pattern("(?<key>[a-z]+)=([0-9]+)").notation(Notation::Regex);
    /// let searcher = builder.captures(true).build()?;
    /// assert_eq!(searcher.capture_names(0).collect::<Vec<_>>(), [None, Some("key"), None]);
    /// # Ok::<(), nigh::SearcherError>(())
    /// ```
    pub fn capture_names(&self, pattern: usize) -> impl Iterator<Item = Option<&str>> {
        self.engine.patterns().all_captures().get(pattern).into_iter().flat_map(|groups| groups.names())
    }

    /// Returns a text with a replacement in place of its matches: the best of those that overlap, over all patterns and
    /// strands. These are the matches that `nigh --replace` replaces in a line. A text without a match is borrowed.
    ///
    /// `$0` in the template stands for the match, `$1`, `$name` and `${name}` for the text of a group, and `$$` for a
    /// dollar sign. A group that does not exist or took no part in the match is empty.
    ///
    /// # Errors
    /// Fails if the template refers to groups, but the searcher was built without
    /// [`captures`](super::SearcherBuilder::captures), or if a device fails and no other engine may take over.
    ///
    /// # Examples
    ///
    /// ```
    /// use nigh::{Alphabet, Notation, Searcher};
    ///
    /// let searcher = Searcher::new("password", 2)?;
    /// assert_eq!(&*searcher.replace_all(b"pasword: x", b"secret")?, b"secret: x");
    ///
    /// let builder = Searcher::builder(Alphabet::Text).pattern(r"(?<first>\w+) versus (?<second>\w+)");
    /// let searcher = builder.notation(Notation::Regex).captures(true).max_edits(1).build()?;
    /// assert_eq!(&*searcher.replace_all(b"cat verses dog", b"$second vs. $first")?, b"dog vs. cat");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn replace_all<'t>(&self, text: &'t [u8], template: &[u8]) -> Result<Cow<'t, [u8]>, ReplaceError> {
        let has_captures = !self.engine.patterns().all_captures().is_empty();
        if !has_captures && refers_to_groups(template) {
            return Err(ReplaceError::NoCaptures);
        }
        let (mut replaced, mut copied) = (Vec::new(), None);
        let mut shown = self.find_iter(text).shown();
        while let Some(found) = shown.try_next()? {
            replaced.extend_from_slice(&text[copied.unwrap_or(0)..found.start()]);
            match self.captures(&found) {
                Some(groups) => groups.expand(template, &mut replaced),
                None => expand_match(template, found.text(), &mut replaced),
            }
            copied = Some(found.end());
        }
        let Some(copied) = copied else { return Ok(Cow::Borrowed(text)) };
        replaced.extend_from_slice(&text[copied..]);
        Ok(Cow::Owned(replaced))
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use nigh_pattern::Notation;
    use nigh_text::alphabet::Alphabet;

    fn searcher(alphabet: Alphabet, patterns: &[&str], max_edits: usize) -> Searcher {
        let builder = Searcher::builder(alphabet).patterns(patterns).notation(Notation::Regex);
        builder.captures(true).max_edits(max_edits).build().unwrap()
    }

    #[test]
    fn groups_are_ranges_of_the_text() {
        let searcher = searcher(Alphabet::Text, &["(?<word>w.{2,4})(: (no))?: yes", "(x)(y+)z"], 1);
        let found: Vec<_> = searcher.find_iter(b"a word: yea, xyyz").best().collect();
        let groups: Vec<_> = found.iter().map(|one| searcher.captures(one).unwrap()).collect();
        assert_eq!(groups[0].name("word").map(|group| (group.start(), group.end())), Some((2, 6)));
        assert_eq!((groups[0].get(3), groups[0].get(9), groups[0].name("none")), (None, None, None));
        let texts: Vec<_> = groups[1].iter().map(|group| group.unwrap().text()).collect();
        assert_eq!(texts, [&b"xyyz"[..], b"x", b"yy"].map(Cow::Borrowed));
        assert_eq!(searcher.capture_names(0).collect::<Vec<_>>(), [None, Some("word"), None, None]);
        assert_eq!(searcher.capture_names(2).count(), 0);
    }

    #[test]
    fn a_searcher_without_captures_has_no_groups() {
        let searcher = Searcher::new("abcd", 1).unwrap();
        let found = searcher.find_iter(b"abcd").best().next().unwrap();
        assert!(searcher.captures(&found).is_none() && searcher.capture_names(0).next().is_none());
        assert_eq!(&*searcher.replace_all(b"x abd", b"<$0>").unwrap(), b"x <abd>");
        assert!(matches!(searcher.replace_all(b"abcd", b"$1"), Err(ReplaceError::NoCaptures)));
        assert!(matches!(searcher.replace_all(b"x", b"y"), Ok(Cow::Borrowed(b"x"))));
    }

    #[test]
    fn only_matches_with_the_least_number_of_edits_are_replaced() {
        let builder = Searcher::builder(Alphabet::Text).pattern("timeout").max_edits(2).min_edits(1);
        let searcher = builder.build().unwrap();
        assert_eq!(&*searcher.replace_all(b"time-out timeout tmeout", b"timeout").unwrap(), b"timeout timeout timeout");
        assert!(matches!(searcher.replace_all(b"timeout", b"x"), Ok(Cow::Borrowed(b"timeout"))));
    }

    #[test]
    fn a_place_is_replaced_once_for_all_patterns_and_strands() {
        let text = searcher(Alphabet::Text, &["(ab)cd", "bcde", "(e)(f)"], 0);
        assert_eq!(&*text.replace_all(b"abcdef bcde", b"[$2$1]").unwrap(), b"[ab][fe] []");
        let dna = searcher(Alphabet::Dna, &["(AC)(GTA)"], 0);
        assert_eq!(&*dna.replace_all(b"ACGTACGTA\nTACGT", b"<$2>").unwrap(), b"<GTA>CGTA\n<TAC>".as_slice());
    }

    #[test]
    fn replacements_do_not_depend_on_the_length_of_the_text() {
        let mut rng = Rng::with_seed(41);
        let searcher = searcher(Alphabet::Text, &["(ab)(c+)", "cab?", "bcb"], 1);
        let line = |rng: &mut Rng| (0..rng.usize(..60)).map(|_| b"abc "[rng.usize(..4)]).collect::<Vec<u8>>();
        let lines: Vec<Vec<u8>> = (0..3_000).map(|_| line(&mut rng)).collect();
        let whole = searcher.replace_all(&lines.join(&b'\n'), b"<$2$1>").unwrap().into_owned();
        let each: Vec<Vec<u8>> =
            lines.iter().map(|line| searcher.replace_all(line, b"<$2$1>").unwrap().into_owned()).collect();
        assert!(whole == each.join(&b'\n') && whole.iter().filter(|byte| **byte == b'<').count() > 5_000);
    }
}
