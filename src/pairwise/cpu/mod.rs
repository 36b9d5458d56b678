//! Comparison of pairs on the processor's cores.
