//! The parser of matrix files in NCBI's format.
//!
//! ```text
//! # A comment.
//!    A  C  G  T
//! A  5 -4 -4 -4
//! ...
//! ```
//!
//! The first line names the columns: symbols of the target. Each further line has a letter, which is a symbol of the
//! query, and its score with each column. Both cases of a letter are the same symbol. If all letters are codes of
//! nucleotides, U and T are the same symbol unless the file has both.
//!
//! All bytes that the file does not name are one symbol: `*` if the file has it; otherwise X; otherwise N, if all
//! letters are codes of nucleotides; otherwise a symbol whose score with every symbol is the smallest of the file.

use crate::scoring::{MAX_CLASSES, SubstitutionMatrix};

/// An invalid matrix file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct MatrixFileError {
    /// The name of the file.
    pub file: String,
    /// The number of the line, from 1.
    pub line: usize,
    /// The problem in this line.
    pub problem: MatrixFileProblem,
}

/// The reason why a matrix file is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MatrixFileProblem {
    /// The file has no line other than comments.
    #[error("no matrix found; write a line with the letters of the columns, then a line for each row")]
    NoColumns,
    /// A column or a row has a name that is not one character.
    #[error("'{0}' is not a symbol; use one letter or '*'")]
    NotASymbol(String),
    /// Two columns or two rows have the same letter.
    #[error("'{0}' occurs twice; remove one of them (both cases of a letter are the same symbol)")]
    Repeated(char),
    /// There are too many columns.
    #[error("{0} columns are too many; use at most {MAX_CLASSES}, one of them '*'")]
    TooManyColumns(usize),
    /// A row has a letter that no column has.
    #[error("row '{0}' has no column; add it to the line of column letters")]
    RowWithoutColumn(char),
    /// A row does not have a score for each column.
    #[error("row '{letter}' has {found} scores, but there are {columns} columns")]
    RowLength {
        /// The letter of the row.
        letter: char,
        /// The number of scores in the row.
        found: usize,
        /// The number of columns.
        columns: usize,
    },
    /// A score is not a number in the range of scores.
    #[error("'{0}' is not a score; use a whole number from -128 to 127")]
    NotAScore(String),
    /// A column has no row.
    #[error("column '{0}' has no row; add a line that starts with '{0}'")]
    ColumnWithoutRow(char),
}

/// Parses the text of a matrix file. `file` is its name, for errors.
///
/// # Errors
/// Fails if the text is not a matrix in NCBI's format.
pub fn parse(file: &str, text: &str) -> Result<SubstitutionMatrix, MatrixFileError> {
    let error = |line, problem| MatrixFileError { file: file.to_owned(), line, problem };
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let last = text.lines().count().max(1);
    let (header, columns) = lines.next().ok_or_else(|| error(last, MatrixFileProblem::NoColumns))?;
    let mut table = ScoreTable::new(columns).map_err(|problem| error(header, problem))?;
    for (number, line) in lines {
        table.add_row(line).map_err(|problem| error(number, problem))?;
    }
    table.matrix().map_err(|problem| error(last, problem))
}

/// The scores of a file.
struct ScoreTable {
    /// The letters of the columns, in upper case.
    letters: Vec<u8>,
    /// The row of each letter.
    rows: Vec<Option<Vec<i8>>>,
}

impl ScoreTable {
    fn new(columns: &str) -> Result<Self, MatrixFileProblem> {
        let mut letters = Vec::new();
        for name in columns.split_ascii_whitespace() {
            let letter = symbol(name)?;
            if letters.contains(&letter) {
                return Err(MatrixFileProblem::Repeated(char::from(letter)));
            }
            letters.push(letter);
        }
        let table = ScoreTable { rows: vec![None; letters.len()], letters };
        let classes = table.letters.len() + usize::from(table.other_symbol().is_none());
        if classes > MAX_CLASSES {
            return Err(MatrixFileProblem::TooManyColumns(table.letters.len()));
        }
        Ok(table)
    }

    fn add_row(&mut self, line: &str) -> Result<(), MatrixFileProblem> {
        let mut words = line.split_ascii_whitespace();
        let byte = symbol(words.next().unwrap_or(""))?;
        let letter = char::from(byte);
        let row = self.class(byte).ok_or(MatrixFileProblem::RowWithoutColumn(letter))?;
        if self.rows[row].is_some() {
            return Err(MatrixFileProblem::Repeated(letter));
        }
        let scores: Vec<i8> = words
            .map(|word| word.parse().map_err(|_| MatrixFileProblem::NotAScore(word.to_owned())))
            .collect::<Result<_, _>>()?;
        let columns = self.letters.len();
        if scores.len() != columns {
            return Err(MatrixFileProblem::RowLength { letter, found: scores.len(), columns });
        }
        self.rows[row] = Some(scores);
        Ok(())
    }

    /// Returns the class of a letter in upper case.
    fn class(&self, letter: u8) -> Option<usize> {
        self.letters.iter().position(|&other| other == letter)
    }

    fn is_of_nucleotides(&self) -> bool {
        self.letters.iter().all(|letter| b"ACGTURYKMSWBDHVN*".contains(letter))
    }

    /// Returns the class of the bytes that the file does not name, if it is one of the file.
    fn other_symbol(&self) -> Option<usize> {
        let any_nucleotide = || self.class(b'N').filter(|_| self.is_of_nucleotides());
        self.class(b'*').or_else(|| self.class(b'X')).or_else(any_nucleotide)
    }

    fn matrix(self) -> Result<SubstitutionMatrix, MatrixFileProblem> {
        let missing = self.rows.iter().zip(&self.letters).find(|(row, _)| row.is_none());
        if let Some((_, &letter)) = missing {
            return Err(MatrixFileProblem::ColumnWithoutRow(char::from(letter)));
        }
        let other = self.other_symbol();
        let smallest = self.rows.iter().flatten().flatten().copied().min().unwrap_or(0);
        let mut classes = Box::new([other.unwrap_or(self.letters.len()) as u8; 256]);
        let thymine = self.class(b'T').or(self.class(b'U')).filter(|_| self.is_of_nucleotides());
        let named = self.letters.iter().copied().enumerate().map(|(class, letter)| (letter, class));
        for (letter, class) in thymine.into_iter().flat_map(|class| [(b'T', class), (b'U', class)]).chain(named) {
            classes[usize::from(letter)] = class as u8;
            classes[usize::from(letter.to_ascii_lowercase())] = class as u8;
        }
        let mut scores = Vec::new();
        for row in self.rows.into_iter().flatten() {
            scores.extend_from_slice(&row);
            scores.extend(other.is_none().then_some(smallest));
        }
        if other.is_none() {
            scores.extend(std::iter::repeat_n(smallest, self.letters.len() + 1));
        }
        Ok(SubstitutionMatrix::new(classes, scores.into()))
    }
}

/// Returns the symbol that a word names, in upper case.
fn symbol(word: &str) -> Result<u8, MatrixFileProblem> {
    match word.as_bytes() {
        [letter] if letter.is_ascii_graphic() && *letter != b'#' => Ok(letter.to_ascii_uppercase()),
        _ => Err(MatrixFileProblem::NotASymbol(word.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(matrix: &SubstitutionMatrix, query: u8, target: u8) -> i8 {
        matrix.row(matrix.class(query))[usize::from(matrix.class(target))]
    }

    #[test]
    fn rows_are_symbols_of_the_query() {
        let matrix = parse("m", "# comment\n\n  a P\nP -1 2\n\nA 3 -128\n").unwrap();
        assert_eq!(score(&matrix, b'p', b'A'), -1);
        assert_eq!(score(&matrix, b'A', b'P'), -128);
        assert_eq!(score(&matrix, b'Z', b'A'), -128);
        assert_eq!(score(&matrix, b'A', b'.'), -128);
        assert_eq!(matrix.class_count(), 3);
    }

    #[test]
    fn other_bytes_have_the_class_of_a_wildcard() {
        let matrix = parse("m", "A X\nA 3 1\nX 2 0").unwrap();
        assert_eq!((score(&matrix, b'A', b'Z'), score(&matrix, 0, b'a')), (1, 2));
        let matrix = parse("m", "A N\nA 3 1\nN 2 0").unwrap();
        assert_eq!((score(&matrix, b'A', b'Z'), score(&matrix, 0, b'a')), (1, 2));
        let matrix = parse("m", "A N P\nA 3 1 0\nN 2 0 0\nP 0 0 -7").unwrap();
        assert_eq!(score(&matrix, b'A', b'Z'), -7);
    }

    #[test]
    fn errors_name_the_line() {
        let message = |text: &str| parse("my.txt", text).unwrap_err().to_string();
        assert_eq!(
            message("# a\n"),
            "my.txt:1: no matrix found; write a line with the letters of the columns, then a line for each row"
        );
        assert_eq!(message("A BC\n"), "my.txt:1: 'BC' is not a symbol; use one letter or '*'");
        assert_eq!(
            message("A a\n"),
            "my.txt:1: 'A' occurs twice; remove one of them (both cases of a letter are the same symbol)"
        );
        assert_eq!(message("A\nA 128\n"), "my.txt:2: '128' is not a score; use a whole number from -128 to 127");
        assert_eq!(message("A C\nA 1\n"), "my.txt:2: row 'A' has 1 scores, but there are 2 columns");
        assert_eq!(message("A\nC 1\n"), "my.txt:2: row 'C' has no column; add it to the line of column letters");
        assert_eq!(message("A C\nA 1 2\n"), "my.txt:2: column 'C' has no row; add a line that starts with 'C'");
        let letters: Vec<String> = (b'!'..=b'Z').filter(|b| *b != b'#').map(|b| char::from(b).to_string()).collect();
        assert!(message(&letters.join(" ")).contains("columns are too many"));
    }
}
