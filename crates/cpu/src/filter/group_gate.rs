//! Exact groups at the edges of patterns, such as the PAM of a guide, as filters before the seed index.
//!
//! In every match, the distance between a seed and the group varies by at most the number of edits. So a seed is looked
//! up only where the group occurs at one of the possible distances. The occurrences are a bit for each position,
//! computed for 64 positions at a time with a few operations for each symbol of the group and for each distance.

use std::collections::{BTreeSet, HashMap};

use super::residue_planes::{AFTER, BEFORE, ResiduePlanes};
use nigh_pattern::{EdgeGroups, Pattern};
use nigh_tables::seeds::index::Entries;
use nigh_tables::seeds::layout::LENGTH;
use nigh_tables::seeds::plan::{SeedEstimate, SeedPlan};
use nigh_tables::seeds::residues::{ANY, ResidueGroups, core_of, groups_of};
use nigh_tables::seeds::scheme::{PieceSide, SeedPiece};
use nigh_verify::encoder::Classes;

/// Minimum number of entries per residue, by estimate, for a kind of group to get an index of its own. With fewer, the
/// masks and lookups of another index cost more than the tests that they save.
const MIN_RATE: f64 = 0.25;
/// The largest number of kinds of group that get an index of their own.
const MAX_KINDS: usize = 6;
/// Words of zeros on both sides of the plane of a group, for the distances from a seed to the group.
const MARGIN: usize = 4;

/// A kind of exact group: its symbols, and the edge of the pattern at which it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct GroupKind {
    symbols: Vec<ResidueGroups>,
    edge: GroupEdge,
}

/// The edge of a pattern with the exact group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum GroupEdge {
    Start,
    End,
}

/// The patterns of a set by their kind of exact group.
pub(crate) struct GroupKinds {
    pub(crate) kinds: Vec<GroupKind>,
    /// For each pattern, the index of its kind; `None` without a group.
    pub(crate) kind_of: Vec<Option<usize>>,
}

/// A kind of group, and the distances from the q-grams of seeds at which the group may be.
#[derive(Debug, Clone)]
pub(crate) struct GroupGate {
    kind: GroupKind,
    /// The distances to the group in residues, from a q-gram that lies after the boundary of its seed.
    after: BTreeSet<isize>,
    /// The distances to the group in residues, from a q-gram that lies before the boundary of its seed.
    before: BTreeSet<isize>,
}

/// Masks with a bit for each position of the packed residues of a batch. A bit of `after` or `before` is set if the
/// group occurs at one of the gate's distances from a q-gram that begins at the position.
#[derive(Default)]
pub(crate) struct GateMasks {
    /// Positions at which the group begins, with [`MARGIN`] words of zeros on both sides.
    group: Vec<u64>,
    /// The mask for seeds whose q-gram lies after their boundary.
    after: Vec<u64>,
    /// The mask for seeds whose q-gram lies before their boundary.
    before: Vec<u64>,
}

impl GroupKind {
    /// Returns the rarer of the exact groups at the two edges of the core of a pattern. Returns `None` if there is no
    /// group, or if the group matches everywhere.
    fn new(pattern: &Pattern, classes: &Classes) -> Option<Self> {
        let EdgeGroups { before, after } = pattern.edge_groups();
        let core = core_of(pattern);
        let kind = |edge: GroupEdge, symbols: std::ops::Range<usize>| GroupKind {
            symbols: groups_of(&pattern.symbols()[symbols], classes).collect(),
            edge,
        };
        let start = (core.start > 0).then(|| kind(GroupEdge::Start, 0..before));
        let length = pattern.symbols().len();
        let end = (core.end < length).then(|| kind(GroupEdge::End, length - after..length));
        let kinds = start.into_iter().chain(end).filter(|kind| kind.share() < 1.0 && kind.symbols.len() < 64);
        kinds.min_by(|a, b| a.share().total_cmp(&b.share()))
    }

    /// Returns the share of the positions of random text at which the group occurs.
    fn share(&self) -> f64 {
        self.symbols.iter().map(|groups| f64::from(groups.count_ones()) / 4.0).product()
    }
}

impl GroupKinds {
    /// Divides patterns by their kinds of group. Kinds with few index entries get no index of their own: their patterns
    /// count as patterns without a group. `estimates` has the cost of each pattern.
    pub(crate) fn new(patterns: &[Pattern], classes: &Classes, estimates: &[Option<SeedEstimate>]) -> Self {
        let of_each: Vec<Option<GroupKind>> = patterns.iter().map(|pattern| GroupKind::new(pattern, classes)).collect();
        let mut rates: HashMap<&GroupKind, f64> = HashMap::new();
        for (kind, estimate) in of_each.iter().zip(estimates) {
            if let (Some(kind), Some(estimate)) = (kind, estimate) {
                *rates.entry(kind).or_default() += estimate.rate;
            }
        }
        let first = |kind: &GroupKind| of_each.iter().position(|other| other.as_ref() == Some(kind));
        let mut frequent: Vec<(f64, Option<usize>)> =
            rates.iter().filter(|&(_, &rate)| rate >= MIN_RATE).map(|(&kind, &rate)| (rate, first(kind))).collect();
        frequent.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        frequent.truncate(MAX_KINDS);
        let kinds: Vec<GroupKind> = frequent.into_iter().filter_map(|(_, first)| of_each[first?].clone()).collect();
        let index = |kind: &Option<GroupKind>| kinds.iter().position(|other| kind.as_ref() == Some(other));
        let kind_of = of_each.iter().map(index).collect();
        GroupKinds { kinds, kind_of }
    }

    /// Estimates the share of positions in random text that pass the gate of a pattern.
    pub(crate) fn share(&self, index: usize, pattern: &Pattern) -> f64 {
        self.kind_of[index].map_or(1.0, |kind| (self.kinds[kind].share() * (2 * pattern.k() + 1) as f64).min(1.0))
    }
}

impl GroupGate {
    /// Makes the gate for the patterns of a plan. All of them have a group of the kind `kind`.
    pub(crate) fn new(kind: GroupKind, plan: &SeedPlan, patterns: &[Pattern]) -> Self {
        let mut gate = GroupGate { kind, after: BTreeSet::new(), before: BTreeSet::new() };
        for (index, pattern) in patterns.iter().enumerate().filter(|&(index, _)| plan.is_chosen(index)) {
            let scheme = plan.scheme(index).expect("the patterns of the index have a scheme");
            scheme.pieces.iter().for_each(|piece| gate.add(pattern, piece));
        }
        gate
    }

    /// Adds the distances from a piece of a pattern to the group.
    fn add(&mut self, pattern: &Pattern, piece: &SeedPiece) {
        let length = core_of(pattern).len();
        let distance = match self.kind.edge {
            GroupEdge::Start => -((piece.boundary() + self.kind.symbols.len()) as isize),
            GroupEdge::End => (length - piece.boundary()) as isize,
        };
        let is_piece_between = match (self.kind.edge, piece.side) {
            (GroupEdge::Start, PieceSide::Before) => piece.symbols.start == 0,
            (GroupEdge::End, PieceSide::After) => piece.symbols.end == length,
            _ => false,
        };
        let edits = if is_piece_between { piece.edits } else { pattern.k() } as isize;
        let (distances, distance) = match piece.side {
            PieceSide::After => (&mut self.after, distance),
            PieceSide::Before => (&mut self.before, distance + LENGTH as isize),
        };
        distances.extend(distance - edits..=distance + edits);
    }
}

impl GateMasks {
    /// Computes the masks of a gate for the residues of a batch.
    pub(crate) fn fill(&mut self, gate: &GroupGate, residues: &ResiduePlanes) {
        let [low, high] = residues.forward();
        self.find_group(&gate.kind, low, high);
        let masks = residues.packed().len().div_ceil(2);
        self.group.resize(self.group.len().max(masks + MARGIN) + MARGIN + 1, 0);
        gather(&mut self.after, &self.group, &gate.after, masks);
        gather(&mut self.before, &self.group, &gate.before, masks);
    }

    /// Computes the positions at which an exact group begins. `low` and `high` are the bit planes of the residue
    /// groups, with [`AFTER`] words of padding.
    fn find_group(&mut self, kind: &GroupKind, low: &[u64], high: &[u64]) {
        let words = low.len() - AFTER;
        self.group.clear();
        self.group.resize(MARGIN, 0);
        self.group.resize(MARGIN + words, !0);
        for (at, &groups) in kind.symbols.iter().enumerate().filter(|(_, groups)| **groups != ANY) {
            for (word, found) in self.group[MARGIN..].iter_mut().enumerate() {
                let matching = |word: usize| matching(groups, low[word], high[word]);
                *found &= shifted(matching(word), matching(word + 1), at);
            }
        }
    }

    /// Clears the bits in `present` for positions where no seed can have its group.
    pub(crate) fn restrict(&self, present: &mut [u64]) {
        for (present, (after, before)) in present.iter_mut().zip(self.after.iter().zip(&self.before)) {
            *present &= after | before;
        }
    }

    /// Returns the entries of the q-gram at the position `at` whose seeds can have their group there.
    #[inline(always)]
    pub(crate) fn allowed(&self, entries: Entries, at: usize) -> Entries {
        let is_set = |mask: &[u64]| mask[at / 64] >> (at % 64) & 1 == 1;
        let Entries { after, before } = entries;
        Entries {
            after: if is_set(&self.after) { after } else { 0..0 },
            before: if is_set(&self.before) { before } else { 0..0 },
        }
    }
}

/// Computes a mask of `words` words with a bit for each position of the packed residues: whether a bit of `group` is
/// set at one of `distances` from it.
fn gather(mask: &mut Vec<u64>, group: &[u64], distances: &BTreeSet<isize>, words: usize) {
    mask.clear();
    mask.resize(words, 0);
    for distance in distances {
        let first = (64 * MARGIN).checked_add_signed(distance - BEFORE as isize);
        let first = first.expect("a group is near its seed");
        let from = &group[first / 64..];
        for (mask, pair) in mask.iter_mut().zip(from.windows(2)) {
            *mask |= shifted(pair[0], pair[1], first % 64);
        }
    }
}

/// Returns a mask of the residues that belong to `groups`, given the two planes of the groups of 64 residues.
#[inline(always)]
fn matching(groups: ResidueGroups, low: u64, high: u64) -> u64 {
    let of_group = |group: u8| {
        let plane = |plane: u64, bit: u8| if bit == 1 { plane } else { !plane };
        plane(low, group & 1) & plane(high, group >> 1)
    };
    (0..4).filter(|group| groups >> group & 1 == 1).fold(0, |all, group| all | of_group(group))
}

/// Returns 64 bits of two successive words, from the bit `count` on. `count` is less than 64.
#[inline(always)]
fn shifted(word: u64, next: u64, count: usize) -> u64 {
    word >> count | next << 1 << (63 - count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_has_a_bit_wherever_the_group_is_at_one_of_the_distances() {
        let mut rng = fastrand::Rng::with_seed(11);
        let residues: Vec<u8> = (0..320).map(|_| rng.u8(..4)).collect();
        let plane = |bit: u8| -> Vec<u64> {
            let words = residues.chunks(64);
            words.map(|word| word.iter().rev().fold(0, |all, group| all << 1 | u64::from(group >> bit & 1))).collect()
        };
        let padded = |bit: u8| [plane(bit), vec![0; AFTER]].concat();
        let (low, high) = (padded(0), padded(1));
        let kind = GroupKind { symbols: vec![ANY, 0b0100, 0b0101], edge: GroupEdge::End };
        let gate = GroupGate { kind, after: BTreeSet::from([-70, -3, 8, 9, 63]), before: BTreeSet::from([0]) };
        let occurs = |at: isize| {
            let group = |at: isize| usize::try_from(at).ok().and_then(|at| residues.get(at).copied());
            group(at).is_some() && group(at + 1) == Some(2) && matches!(group(at + 2), Some(0 | 2))
        };
        let mut masks = GateMasks::default();
        masks.find_group(&gate.kind, &low, &high);
        masks.group.resize(masks.group.len() + 2 * MARGIN + 1, 0);
        gather(&mut masks.after, &masks.group, &gate.after, 5);
        // The last positions depend on the padding after the residues.
        for at in 0..250 {
            let expected = gate.after.iter().any(|distance| occurs(at as isize - BEFORE as isize + distance));
            assert_eq!(masks.after[at / 64] >> (at % 64) & 1 == 1, expected, "position {at}");
        }
    }
}
