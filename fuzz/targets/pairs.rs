//! Arbitrary pairs of strings and scorings: values and alignments of the CPU engine equal those of the reference.
#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use nigh::pairwise::pairs::{Pairs, Strings};
use nigh::pairwise::scoring::{GapCosts, Scoring, Substitution, SubstitutionMatrix};
use nigh::pairwise::{Objective, PairAligner};
use nigh_engine::EngineChoice;
use nigh_fuzz::instruction_set;

/// Maximum number of cells of the reference's matrices.
const MAX_CELLS: usize = 4 << 20;

#[derive(Debug, Arbitrary)]
struct Scene {
    objective: Wanted,
    queries: Vec<Part>,
    targets: Vec<Part>,
    /// Whether the first query is compared with all targets, instead of each query with one target.
    one_to_many: bool,
    threads: u8,
}

/// A string: `bytes`, repeated.
#[derive(Debug, Arbitrary)]
struct Part {
    bytes: Vec<u8>,
    times: u8,
}

#[derive(Debug, Arbitrary)]
enum Wanted {
    Distance,
    Lcs,
    Global(Scores),
    Local(Scores),
}

#[derive(Debug, Arbitrary)]
struct Scores {
    equal: i8,
    different: i8,
    /// The scores of a matrix of four classes of symbols. With fewer than 16 scores, `equal` and `different` are used
    /// instead.
    matrix: Vec<i8>,
    open: u8,
    extend: u8,
}

impl Scores {
    fn scoring(&self) -> Scoring {
        let substitution = match self.matrix.get(..16) {
            Some(scores) => {
                let classes = std::array::from_fn(|byte| byte as u8 & 3);
                Substitution::Matrix(SubstitutionMatrix::new(Box::new(classes), scores.into()))
            }
            None => Substitution::Equality { equal: self.equal, different: self.different },
        };
        let gaps = GapCosts { open: i32::from(self.open), extend: i32::from(self.extend) };
        Scoring::new(substitution, gaps).expect("the costs are in range")
    }
}

impl Wanted {
    fn objective(&self) -> Objective {
        match self {
            Wanted::Distance => Objective::Distance,
            Wanted::Lcs => Objective::Lcs,
            Wanted::Global(scores) => Objective::Global(scores.scoring()),
            Wanted::Local(scores) => Objective::Local(scores.scoring()),
        }
    }
}

fn strings(parts: &[Part]) -> Vec<Vec<u8>> {
    parts.iter().map(|part| part.bytes.repeat(usize::from(part.times % 40) + 1)).collect()
}

fuzz_target!(|scene: Scene| {
    instruction_set::choose();
    let (queries, targets) = (strings(&scene.queries), strings(&scene.targets));
    let count = if scene.one_to_many { targets.len() } else { queries.len().min(targets.len()) };
    let Some(first) = queries.first() else { return };
    let queries: Vec<&[u8]> = queries.iter().take(count).map(Vec::as_slice).collect();
    let targets: Vec<&[u8]> = targets.iter().take(count).map(Vec::as_slice).collect();
    let pairs = match scene.one_to_many {
        true => Pairs::OneToMany { query: first, targets: Strings::Slices(&targets) },
        false => Pairs::zipped(Strings::Slices(&queries), Strings::Slices(&targets)),
    };
    let cells = |index| (pairs.get(index).query.len() + 1) * (pairs.get(index).target.len() + 1);
    if (0..pairs.len()).map(cells).sum::<usize>() > MAX_CELLS {
        return;
    }
    let objective = scene.objective.objective();
    let expected = PairAligner::with_engine(objective.clone(), EngineChoice::reference(), 1)
        .expect("the reference needs no hardware")
        .alignments(&pairs)
        .expect("the reference does not fail");
    let aligner = PairAligner::with_threads(objective, usize::from(scene.threads % 3) + 1);
    assert_eq!(aligner.alignments(&pairs).expect("the CPU does not fail"), expected);
    let values: Vec<i64> = expected.iter().map(|aligned| aligned.value).collect();
    assert_eq!(aligner.values(&pairs).expect("the CPU does not fail"), values);
});
