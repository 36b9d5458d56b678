//! The scoring that the arguments choose.

use std::path::Path;

use anyhow::{Result, anyhow, bail};

use super::args::{AlignArgs, ScoreArgs};
use super::inputs::Residues;
use crate::cli::bounded_file;
use nigh_align::BitScale;
use nigh_input::plain;
use nigh_pairs::Objective;
use nigh_pairs::matrices;
use nigh_pairs::scoring::{GapCosts, Scoring, ScoringOptions, Substitution, SubstitutionMatrix};

/// The matrix for amino acids.
const DEFAULT_MATRIX: &str = "BLOSUM62";

/// The parameters of local scores with BLOSUM62 for the gap costs (open, extend), as BLAST uses them.
const BLOSUM62_SCALES: [(GapCosts, BitScale); 11] = [
    scale(11, 2, 0.297, 0.082),
    scale(10, 2, 0.291, 0.075),
    scale(9, 2, 0.279, 0.058),
    scale(8, 2, 0.264, 0.045),
    scale(7, 2, 0.239, 0.027),
    scale(6, 2, 0.201, 0.012),
    scale(13, 1, 0.292, 0.071),
    scale(12, 1, 0.283, 0.059),
    scale(11, 1, 0.267, 0.041),
    scale(10, 1, 0.243, 0.024),
    scale(9, 1, 0.206, 0.010),
];

/// The parameters of local scores for equal symbols that score 2 and different symbols that score -3.
const EQUALITY_SCALES: [(GapCosts, BitScale); 8] = [
    scale(4, 4, 0.63, 0.42),
    scale(2, 4, 0.615, 0.37),
    scale(0, 4, 0.55, 0.21),
    scale(3, 3, 0.615, 0.37),
    scale(6, 2, 0.63, 0.42),
    scale(5, 2, 0.625, 0.41),
    scale(4, 2, 0.61, 0.35),
    scale(2, 2, 0.515, 0.14),
];

const fn scale(open: i32, extend: i32, lambda: f64, k: f64) -> (GapCosts, BitScale) {
    (GapCosts { open, extend }, BitScale { lambda, k })
}

/// Returns the value to compute for each pair: the distance, a length or a score.
pub(super) fn objective(args: &AlignArgs, residues: Residues) -> Result<Objective> {
    let wanted = &args.objective;
    if !wanted.global && !wanted.local {
        let ScoreArgs { matrix, equal, mismatch, gap_open, gap_extend } = &args.scores;
        let given = [
            ("--matrix", matrix.is_some()),
            ("--match", equal.is_some()),
            ("--mismatch", mismatch.is_some()),
            ("--gap-open", gap_open.is_some()),
            ("--gap-extend", gap_extend.is_some()),
        ];
        if let Some((name, _)) = given.iter().find(|(_, given)| *given) {
            bail!("{name} needs --global or --local");
        }
        return Ok(if wanted.lcs { Objective::Lcs } else { Objective::Distance });
    }
    let scoring = scoring(args, residues)?;
    Ok(if wanted.global { Objective::Global(scoring) } else { Objective::Local(scoring) })
}

fn scoring(args: &AlignArgs, residues: Residues) -> Result<Scoring> {
    let &ScoreArgs { equal, mismatch, gap_open, gap_extend, .. } = &args.scores;
    let matrix = matrix_name(args, residues).map(|name| matrix(&name)).transpose()?;
    Ok(ScoringOptions { matrix, equal, mismatch, gap_open, gap_extend }.scoring()?)
}

/// Returns the name of the matrix; `None` for scores of equality.
fn matrix_name(args: &AlignArgs, residues: Residues) -> Option<String> {
    let scores = &args.scores;
    match &scores.matrix {
        Some(name) => Some(name.to_string_lossy().into_owned()),
        None if residues == Residues::AminoAcids && scores.equal.is_none() && scores.mismatch.is_none() => {
            Some(DEFAULT_MATRIX.to_owned())
        }
        None => None,
    }
}

fn matrix(name: &str) -> Result<SubstitutionMatrix> {
    if let Some(matrix) = matrices::built_in(name) {
        return Ok(matrix);
    }
    let content = bounded_file::read(Path::new(name)).map_err(|error| {
        let names = matrices::names().collect::<Vec<_>>().join(", ");
        anyhow!("--matrix {name}: {}; use a file, or one of {names}", plain(&error))
    })?;
    let text = String::from_utf8(content).map_err(|_| anyhow!("--matrix {name}: the file is not text"))?;
    Ok(matrices::parse(name, &text)?)
}

/// Returns the parameters that convert scores to bits.
pub(super) fn bit_scale(args: &AlignArgs, objective: &Objective, residues: Residues) -> Result<Option<BitScale>> {
    let Objective::Local(scoring) = objective else { return Ok(None) };
    if !args.output.bits {
        return Ok(None);
    }
    let scales: &[(GapCosts, BitScale)] = match (scoring.substitution(), matrix_name(args, residues)) {
        (Substitution::Equality { equal: 2, different: -3 }, _) => &EQUALITY_SCALES,
        (Substitution::Matrix(_), Some(name)) if name.eq_ignore_ascii_case(DEFAULT_MATRIX) => &BLOSUM62_SCALES,
        _ => bail!("--bits needs --matrix BLOSUM62, or --match 2 and --mismatch 3; omit --bits for other scores"),
    };
    match scales.iter().find(|(gaps, _)| *gaps == scoring.gaps()) {
        Some(&(_, scale)) => Ok(Some(scale)),
        None => {
            let known = scales.iter().map(|(gaps, _)| format!("{}/{}", gaps.open, gaps.extend));
            let known = known.collect::<Vec<_>>().join(", ");
            bail!("--bits does not support these gap costs; set --gap-open/--gap-extend to one of {known}")
        }
    }
}
