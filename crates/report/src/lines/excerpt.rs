//! Excerpts of long lines: the matches and what is around them, in a number of columns.
//!
//! A column is a character with the combining marks and skin tones after it, or a byte that is part of none. An escape
//! sequence of a terminal takes no column.

use std::ops::Range;

use memchr::{memchr, memrchr};
use unicode_width::UnicodeWidthChar;

use nigh_input::{ESCAPE, escape_length};

/// Stands for the text that an excerpt leaves out. It takes one column.
pub(super) const ELLIPSIS: &str = "…";

/// The number of bytes before an offset in which the start of an escape sequence is looked for. Links are longer than
/// sequences of colours.
const ESCAPE_REACH: usize = 1 << 10;

/// Returns the parts of a line that its excerpt of `columns` columns shows, in order; `None` if the line has no more
/// columns. Text is left out between the parts, and before and after them where they do not reach the ends of the line.
///
/// The first of the `matches` are shown, as many as fit, with about as many columns before each as after it. Matches ascend
/// and do not overlap.
pub(super) fn excerpt(
    text: &[u8],
    matches: impl Iterator<Item = Range<usize>>,
    columns: usize,
) -> Option<Vec<Range<usize>>> {
    let text = Columns::of(text);
    if text.bytes.len() <= columns || text.count(0..text.bytes.len(), columns) <= columns {
        return None;
    }
    let shown = text.fitting(matches, columns);
    let (Some(first), Some(last)) = (shown.first(), shown.last()) else {
        return Some(std::iter::once(0..text.after(0, columns.saturating_sub(1))).collect());
    };
    // More columns of a gap than these are never shown.
    let most = 2 * columns;
    let inner: Vec<usize> = shown.windows(2).map(|pair| text.count(pair[0].end..pair[1].start, most)).collect();
    let outer = [text.count(0..first.start, most), text.count(last.end..text.bytes.len(), most)];
    let of_matches: usize = shown.iter().map(|range| text.count(range.clone(), columns)).sum();
    let gaps = Gaps { inner, outer };
    let MatchMargins { before, after } = gaps.margins(columns.saturating_sub(of_matches));
    let mut parts: Vec<Range<usize>> = Vec::new();
    let start = if gaps.outer[0] <= before[0] + 1 { 0 } else { text.before(first.start, before[0]) };
    let mut part = start..first.end;
    for (index, range) in shown.iter().enumerate().skip(1) {
        if gaps.inner[index - 1] > after[index - 1] + before[index] + 1 {
            parts.push(part.start..text.after(part.end, after[index - 1]));
            part.start = text.before(range.start, before[index]);
        }
        part.end = range.end;
    }
    let margin = after[shown.len() - 1];
    let end = if gaps.outer[1] <= margin + 1 { text.bytes.len() } else { text.after(part.end, margin) };
    parts.push(part.start..end);
    Some(parts)
}

/// The columns between the matches of a line, and between them and its ends.
struct Gaps {
    inner: Vec<usize>,
    outer: [usize; 2],
}

/// The columns that are shown before and after each match. A gap of one more column is shown whole, because an ellipsis takes
/// as much.
struct MatchMargins {
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Gaps {
    /// Returns margins that take `columns` columns, with the ellipses: equal ones as far as possible, then one more column
    /// after each match, and one more before each, until no column is left.
    fn margins(&self, columns: usize) -> MatchMargins {
        let (mut around, mut too_many) = (0, columns + 1);
        while around + 1 < too_many {
            let middle = around.midpoint(too_many);
            *(if self.width(middle) <= columns { &mut around } else { &mut too_many }) = middle;
        }
        let mut left = columns.saturating_sub(self.width(around));
        let matches = self.inner.len() + 1;
        let mut margins = MatchMargins { before: vec![around; matches], after: vec![around; matches] };
        for index in 0..matches {
            let next = margins.before.get(index + 1).copied().unwrap_or(0);
            let gap = self.inner.get(index).unwrap_or(&self.outer[1]);
            margins.after[index] += take_one(&mut left, *gap > margins.after[index] + next + 1);
        }
        for index in 0..matches {
            let (gap, previous) = match index.checked_sub(1) {
                Some(previous) => (self.inner[previous], margins.after[previous]),
                None => (self.outer[0], 0),
            };
            margins.before[index] += take_one(&mut left, gap > margins.before[index] + previous + 1);
        }
        margins
    }

    /// Returns the number of columns that equal margins take.
    fn width(&self, around: usize) -> usize {
        let of_inner: usize = self.inner.iter().map(|&gap| gap.min(2 * around + 1)).sum();
        of_inner + self.outer.iter().map(|&gap| gap.min(around + 1)).sum::<usize>()
    }
}

/// Returns the text of an excerpt.
pub(super) fn excerpt_text(text: &[u8], parts: &[Range<usize>]) -> Vec<u8> {
    let mut shown = Vec::new();
    let mut end = 0;
    for part in parts {
        if part.start > end {
            shown.extend_from_slice(ELLIPSIS.as_bytes());
        }
        shown.extend_from_slice(&text[part.clone()]);
        end = part.end;
    }
    if end < text.len() {
        shown.extend_from_slice(ELLIPSIS.as_bytes());
    }
    shown
}

/// Takes one of the columns that are left, if one is wanted. Returns the number of columns that were taken.
fn take_one(left: &mut usize, is_wanted: bool) -> usize {
    let taken = usize::from(is_wanted && *left > 0);
    *left -= taken;
    taken
}

/// Returns whether a character extends the one before: a combining mark, a joiner or a skin tone.
fn extends(character: char) -> bool {
    character.width() == Some(0) || ('\u{1f3fb}'..='\u{1f3ff}').contains(&character)
}

/// The columns of a line.
struct Columns<'a> {
    bytes: &'a [u8],
    has_escapes: bool,
}

impl<'a> Columns<'a> {
    fn of(bytes: &'a [u8]) -> Self {
        Columns { bytes, has_escapes: memchr(ESCAPE, bytes).is_some() }
    }

    /// Returns the end of the character or escape sequence at an offset, and the number of its columns.
    fn next(&self, at: usize) -> (usize, usize) {
        let rest = &self.bytes[at..];
        match self.has_escapes.then(|| escape_length(rest)).flatten() {
            Some(length) => (at + length, 0),
            None => (self.end_of_marks(at + bstr::decode_utf8(rest).1.max(1)), 1),
        }
    }

    /// Returns the end of the characters from an offset on that extend the one before.
    fn end_of_marks(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(|byte| !byte.is_ascii())
            && let (Some(mark), length) = bstr::decode_utf8(&self.bytes[at..])
            && extends(mark)
        {
            at += length;
        }
        at
    }

    /// Returns the start of the character or escape sequence before an offset, and the number of its columns.
    fn previous(&self, at: usize) -> (usize, usize) {
        if let Some(escape) = self.escape_before(at) {
            return (escape, 0);
        }
        let mut start = at;
        loop {
            let (character, length) = bstr::decode_last_utf8(&self.bytes[..start]);
            start -= length.max(1);
            if start == 0 || !character.is_some_and(extends) || self.escape_before(start).is_some() {
                return (start, 1);
            }
        }
    }

    /// Returns the start of the escape sequence that ends at an offset.
    fn escape_before(&self, at: usize) -> Option<usize> {
        if !self.has_escapes {
            return None;
        }
        let reach = at.saturating_sub(ESCAPE_REACH);
        let escape = reach + memrchr(ESCAPE, &self.bytes[reach..at])?;
        (escape_length(&self.bytes[escape..]) == Some(at - escape)).then_some(escape)
    }

    /// Returns the number of columns of a range, or a number above `most` if there are more.
    fn count(&self, range: Range<usize>, most: usize) -> usize {
        let (mut at, mut columns) = (range.start, 0);
        while at < range.end && columns <= most {
            let (end, width) = self.next(at);
            (at, columns) = (end, columns + width);
        }
        columns
    }

    /// Returns the offset of the end of the first `columns` columns from an offset on.
    fn after(&self, mut at: usize, columns: usize) -> usize {
        let mut left = columns;
        while at < self.bytes.len() {
            let (end, width) = self.next(at);
            if width > left {
                break;
            }
            (at, left) = (end, left - width);
        }
        at
    }

    /// Returns the offset of the start of the last `columns` columns before an offset.
    fn before(&self, mut at: usize, columns: usize) -> usize {
        let mut left = columns;
        while at > 0 {
            let (start, width) = self.previous(at);
            if width > left {
                break;
            }
            (at, left) = (start, left - width);
        }
        at
    }

    /// Returns the first of the matches, as many as fit in a number of columns with an ellipsis before and after each. If
    /// the first is too long, it is cut; with fewer than three columns, none is shown.
    fn fitting(&self, matches: impl Iterator<Item = Range<usize>>, columns: usize) -> Vec<Range<usize>> {
        let (mut shown, mut width) = (Vec::new(), 1);
        for range in matches {
            let of_match = self.count(range.clone(), columns);
            if width + of_match + 1 > columns {
                if shown.is_empty() && columns > 2 {
                    shown.push(range.start..self.after(range.start, columns.saturating_sub(2)));
                }
                break;
            }
            width += of_match + 1;
            shown.push(range);
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the excerpt of a text whose matches are in brackets; `None` if the text fits.
    fn of(marked: &str, columns: usize) -> Option<String> {
        let (mut text, mut matches) = (String::new(), Vec::new());
        for character in marked.chars() {
            match character {
                '[' => matches.push(text.len()..text.len()),
                ']' => matches.last_mut().unwrap().end = text.len(),
                _ => text.push(character),
            }
        }
        let parts = excerpt(text.as_bytes(), matches.into_iter(), columns)?;
        Some(String::from_utf8(excerpt_text(text.as_bytes(), &parts)).unwrap())
    }

    #[test]
    fn matches_are_shown_with_text_around_them() {
        assert_eq!(of("abcdefgh[x]ijklmnopq", 18), None);
        assert_eq!(of("abcdefgh[x]ijklmnopq", 9).unwrap(), "…fghxijk…");
        assert_eq!(of("abcdefgh[x]ijklmnopq", 10).unwrap(), "…fghxijkl…");
        assert_eq!(of("abcdefgh[x]ijklmnopq", 17).unwrap(), "abcdefghxijklmno…");
        assert_eq!(of("a[x]cdefghijklmnop", 9).unwrap(), "axcdefgh…");
        assert_eq!(of("abcdefghijklmno[x]p", 9).unwrap(), "…jklmnoxp");
        assert_eq!(of("0123456789[x]abcdefghijklmn[x]0123456789", 15).unwrap(), "…89xabc…mnx012…");
        assert_eq!(of("0123456789[x]abc[x]0123456789", 11).unwrap(), "…89xabcx01…");
        assert_eq!(of("[x]1[x]2[x]3[x]4[x]5", 7).unwrap(), "x1x2x3…");
    }

    #[test]
    fn lines_without_matches_and_long_matches_are_shown_from_their_start() {
        assert_eq!(of("abcdefgh", 5).unwrap(), "abcd…");
        assert_eq!(of("abcd[efghijkl]mn", 6).unwrap(), "…efgh…");
        assert_eq!(of("abcdefgh", 1).unwrap(), "…");
        assert_eq!(of("abcd[]efgh", 5).unwrap(), "…def…");
    }

    #[test]
    fn characters_and_escape_sequences_are_not_cut() {
        assert_eq!(of("ääääää[ö]üüüüüü", 7).unwrap(), "…ääöüü…");
        let line = "e\u{301}".repeat(5) + "[x]" + &"👍🏽".repeat(5);
        assert_eq!(of(&line, 8).unwrap(), "…e\u{301}e\u{301}x👍🏽👍🏽👍🏽…");
    }

    /// Returns the excerpt by definition: with the largest equal margins around the matches that fit, then with one more
    /// column after each match, and before each, while that fits. A run of one hidden column is shown, because the ellipsis
    /// takes as much.
    fn by_definition(units: &[(&str, usize)], matches: &[Range<usize>], columns: usize) -> Option<String> {
        let width = |units: &[(&str, usize)]| units.iter().map(|unit| unit.1).sum::<usize>();
        if width(units) <= columns {
            return None;
        }
        let fits =
            |count: usize| matches[..count].iter().map(|one| width(&units[one.clone()]) + 1).sum::<usize>() < columns;
        let shown = (0..=matches.len()).rev().find(|&count| fits(count)).unwrap_or(0);
        let fitting = |margins: &[[usize; 2]]| {
            let (text, total) = with_margins(units, &matches[..shown], margins);
            (total <= columns).then_some(text)
        };
        let around = (0..=columns).rev().find(|&around| fitting(&vec![[around; 2]; shown]).is_some())?;
        let mut margins = vec![[around; 2]; shown];
        for side in [1, 0] {
            for index in 0..shown {
                margins[index][side] += 1;
                if fitting(&margins).is_none() {
                    margins[index][side] -= 1;
                }
            }
        }
        fitting(&margins)
    }

    /// Returns the text of an excerpt that shows columns before and after each match, and the number of its columns.
    fn with_margins(units: &[(&str, usize)], matches: &[Range<usize>], margins: &[[usize; 2]]) -> (String, usize) {
        let columns_between = |from: usize, to: usize| units[from..to].iter().map(|unit| unit.1).sum::<usize>();
        let is_near = |at: usize| {
            matches.iter().zip(margins).any(|(one, [before, after])| {
                one.contains(&at)
                    || (at < one.start && columns_between(at, one.start) <= *before)
                    || (at >= one.end && columns_between(one.end, at + 1) <= *after)
            })
        };
        let mut is_shown: Vec<bool> = (0..units.len()).map(is_near).collect();
        let hidden = is_shown.clone();
        for run in hidden.iter().enumerate().collect::<Vec<_>>().chunk_by(|a, b| a.1 == b.1) {
            let (first, last) = (run[0].0, run[run.len() - 1].0);
            if columns_between(first, last + 1) <= 1 {
                is_shown[first..=last].fill(true);
            }
        }
        let (mut text, mut total) = (String::new(), 0);
        for (at, unit) in units.iter().enumerate() {
            match is_shown[at] {
                true => text.push_str(unit.0),
                false if at == 0 || is_shown[at - 1] => text.push('…'),
                false => continue,
            }
            total += if is_shown[at] { unit.1 } else { 1 };
        }
        (text, total)
    }

    #[test]
    fn excerpts_are_those_of_the_definition() {
        let mut rng = fastrand::Rng::with_seed(47);
        let mut compared = 0;
        for _ in 0..20_000 {
            let letters =
                [("a", 1), ("ä", 1), ("\u{1f600}", 1), ("e\u{301}", 1), ("\x1b[31m", 0), ("\x1b]8;;x\x07", 0)];
            let escapes = if rng.bool() { letters.len() } else { 4 };
            let units: Vec<(&str, usize)> = (0..rng.usize(1..40)).map(|_| letters[rng.usize(0..escapes)]).collect();
            let (mut matches, mut at) = (Vec::new(), 0);
            while at < units.len() && rng.u8(0..5) > 0 {
                let start = rng.usize(at..units.len());
                at = (start + rng.usize(1..6)).min(units.len());
                matches.push(start..at);
            }
            let columns = rng.usize(1..30);
            let text: String = units.iter().map(|unit| unit.0).collect();
            let offset = |at: usize| units[..at].iter().map(|unit| unit.0.len()).sum::<usize>();
            let in_bytes = matches.iter().map(|one| offset(one.start)..offset(one.end));
            let parts = excerpt(text.as_bytes(), in_bytes, columns);
            let found = parts.map(|parts| String::from_utf8(excerpt_text(text.as_bytes(), &parts)).unwrap());
            let has_first = matches
                .first()
                .is_some_and(|first| units[first.clone()].iter().map(|unit| unit.1).sum::<usize>() + 2 <= columns);
            match found {
                Some(shown) if !has_first => {
                    let shown = shown.replace("\x1b[31m", "").replace("\x1b]8;;x\x07", "");
                    let marks = shown.matches('\u{301}').count();
                    assert!(shown.chars().count() - marks <= columns && !shown.contains('\x1b'), "{shown:?} {columns}");
                }
                found => {
                    compared += usize::from(found.is_some());
                    assert_eq!(found, by_definition(&units, &matches, columns), "{text:?} {matches:?} {columns}");
                }
            }
        }
        assert!(compared > 3_000, "{compared}");
    }
}
