//! Reads gzip on many threads, also a file of a single member.
//!
//! [`Gunzip`] is a [`Read`](std::io::Read) of the text. With [`Helpers`], such as a [`Pool`] of threads, chunks of the
//! input are decoded concurrently. They need no index and no special way of compressing: a thread finds a block in its
//! chunk, decodes from there, and fills in what it copied from the text before once that is known. Headers, checksums
//! and lengths are verified, and damaged input yields the same text and the same error with any number of threads.
//!
//! ```
//! use std::io::Read;
//! use std::sync::Arc;
//!
//! use nigh_gunzip::{Gunzip, Pool};
//!
//! // The output of `printf 'hello\n' | gzip -n`.
//! let packed = *b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcbH\xcd\xc9\xc9\xe7\x02\0 0:6\x06\0\0\0";
//! let mut text = String::new();
//! Gunzip::with_helpers(&packed[..], Arc::new(Pool::new(4))).read_to_string(&mut text)?;
//! assert_eq!(text, "hello\n");
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! Reading order: `helpers.rs` and `pool.rs` (threads), `gunzip.rs` (chunks), `stream.rs` (a part of gzip data),
//! `member.rs` (headers and trailers), `deflate/`.

mod deflate;
mod gunzip;
mod helpers;
mod member;
mod pool;
mod stream;

pub use gunzip::Gunzip;
pub use helpers::{Helpers, Job};
pub use member::Garbage;
pub use pool::Pool;
