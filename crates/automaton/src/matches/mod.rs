//! From the hits of a line to their matches.
//!
//! Reading order: `match_automata` (the automata for all questions about single matches), `constrained` (the costs of
//! hits), `trace` (the way back, to alignments), `lengths` (in place of these where matches overlap much), `align` (all
//! hits of a line or record), `shown` (the matches shown in a line), `match_starts` (the starts of all matches), `overhang`
//! (the matches that hang over an end).

pub(super) mod align;
pub(super) mod constrained;
pub(super) mod lengths;
pub(super) mod match_automata;
pub(super) mod match_starts;
pub(super) mod overhang;
pub(super) mod shown;
mod trace;
