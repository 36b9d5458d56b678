//! Patterns as the tables with which processors and devices search.
//!
//! `code_sets` has the codes of symbol sets. `coded_automaton` is the automaton of a regular expression over codes, whose
//! conditions depend on the `context` of a position, and `coded_automata` those of some patterns. `seeds` is the index of the
//! seeds of many strings.
//!
//! Its users are the crates of nigh; the interface for programs is the crate nigh. The modules here may change in any
//! release.

#[doc(hidden)]
pub mod code_sets;
#[doc(hidden)]
pub mod coded_automata;
#[doc(hidden)]
pub mod coded_automaton;
#[doc(hidden)]
pub mod context;
#[doc(hidden)]
pub mod seeds;
