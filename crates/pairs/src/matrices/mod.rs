//! Substitution matrices: those of NCBI by name, and files in NCBI's format.

mod parse;

use super::scoring::SubstitutionMatrix;
pub use parse::{MatrixFileError, MatrixFileProblem, parse};

/// The built-in matrices: names and files.
const BUILT_IN: [(&str, &str); 9] = [
    ("BLOSUM45", include_str!("BLOSUM45")),
    ("BLOSUM50", include_str!("BLOSUM50")),
    ("BLOSUM62", include_str!("BLOSUM62")),
    ("BLOSUM80", include_str!("BLOSUM80")),
    ("BLOSUM90", include_str!("BLOSUM90")),
    ("PAM30", include_str!("PAM30")),
    ("PAM70", include_str!("PAM70")),
    ("PAM250", include_str!("PAM250")),
    ("NUC.4.4", include_str!("NUC.4.4")),
];

/// Returns the names of the built-in matrices.
pub fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// Returns the built-in matrix with a name. Case and punctuation do not matter: `nuc44` is `NUC.4.4`.
pub fn built_in(name: &str) -> Option<SubstitutionMatrix> {
    let (name, text) = BUILT_IN.iter().find(|(other, _)| letters(other).eq(letters(name)))?;
    Some(parse(name, text).expect("a built-in matrix has no errors"))
}

/// Returns the letters and digits of a name, in lower case.
fn letters(name: &str) -> impl Iterator<Item = char> {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(matrix: &SubstitutionMatrix, query: u8, target: u8) -> i8 {
        matrix.row(matrix.class(query))[usize::from(matrix.class(target))]
    }

    #[test]
    fn names_are_found_in_any_spelling() {
        for name in ["NUC.4.4", "nuc44", "Nuc-4-4"] {
            assert_eq!(score(&built_in(name).unwrap(), b'A', b'A'), 5, "{name}");
        }
        assert_eq!(score(&built_in("blosum62").unwrap(), b'w', b'W'), 11);
        assert!(built_in("BLOSUM63").is_none());
        assert!(built_in("").is_none());
    }

    #[test]
    fn built_in_matrices_are_symmetric() {
        for name in names() {
            let matrix = built_in(name).unwrap();
            for (query, target) in (b'A'..=b'Z').flat_map(|query| (b'A'..=b'Z').map(move |target| (query, target))) {
                assert_eq!(score(&matrix, query, target), score(&matrix, target, query), "{name}");
            }
        }
    }

    #[test]
    fn built_in_matrices_have_known_sums() {
        let sum = |name: &str| {
            let matrix = built_in(name).unwrap();
            let rows = (0..matrix.class_count()).map(|class| matrix.row(class as u8));
            rows.flatten().map(|&score| i64::from(score)).sum::<i64>()
        };
        let sums: Vec<i64> = names().map(sum).collect();
        assert_eq!(sums, [-689, -814, -726, -1572, -1233, -3678, -2140, -932, -395]);
    }

    #[test]
    fn uracil_is_thymine() {
        let matrix = built_in("NUC.4.4").unwrap();
        assert_eq!(matrix.class(b'u'), matrix.class(b'T'));
        assert_eq!(matrix.class(b'-'), matrix.class(b'N'));
        let matrix = built_in("PAM30").unwrap();
        assert_eq!(matrix.class(b'U'), matrix.class(b'*'));
    }
}
