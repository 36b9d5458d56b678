//! How far a search is, on standard error.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::args::OutputArgs;
use crate::search::Watch;

/// Nobody needs to be told of a search that is over by then.
const LONG: Duration = Duration::from_secs(1);
/// How often a line is written where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(1);

const WITH_TOTAL: &str = "{bytes} of {total_bytes}, {bytes_per_sec}, {hits} hits, {eta} left";
const WITHOUT_TOTAL: &str = "{bytes}, {bytes_per_sec}, {hits} hits, {elapsed}";

/// Shows bytes, rate, hits and time: on a terminal in its last line, which is gone at the end; elsewhere a line each second.
pub(super) struct Progress {
    bar: ProgressBar,
    hits: Arc<AtomicU64>,
    begin: Instant,
    place: Place,
}

/// Where it is shown.
enum Place {
    /// In the last line of a terminal, from a time on.
    Terminal { from: Duration, is_shown: AtomicBool },
    /// As lines; so many were due until now.
    Lines { written: AtomicU64 },
}

impl Progress {
    /// What the arguments and the terminals at hand ask for, for input of so many bytes, if that is known. Without a word of the
    /// user it is shown on a terminal that shows no results.
    pub(super) fn wanted(args: &OutputArgs, total: impl FnOnce() -> Option<u64>) -> Option<Arc<Self>> {
        let on_terminal = io::stderr().is_terminal();
        let by_itself = on_terminal && !io::stdout().is_terminal() && !args.no_progress;
        let place = match on_terminal {
            _ if !args.progress && !by_itself => return None,
            true => {
                let from = if args.progress { Duration::ZERO } else { LONG };
                Place::Terminal { from, is_shown: AtomicBool::new(false) }
            }
            false => Place::Lines { written: AtomicU64::new(0) },
        };
        let total = total();
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let progress = Progress { bar, hits: Arc::default(), begin: Instant::now(), place };
        progress.set_style(if total.is_some() { WITH_TOTAL } else { WITHOUT_TOTAL });
        Some(Arc::new(progress))
    }

    fn set_style(&self, template: &str) {
        let hits = self.hits.clone();
        let style = ProgressStyle::with_template(template).expect("the templates are right");
        let write_hits = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            // Where a string cannot be written to, nothing can be done.
            let _ = write!(out, "{}", HumanCount(hits.load(Ordering::Relaxed)));
        };
        self.bar.set_style(style.with_key("hits", write_hits));
    }

    /// What is written to the terminal meanwhile.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Takes it away.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// The line that is written where there is no terminal.
    fn line(&self) -> String {
        let (bytes, rate, hits) = (self.bar.position(), self.bar.per_sec(), self.hits.load(Ordering::Relaxed));
        let mut line = HumanBytes(bytes).to_string();
        let mut add = |words: std::fmt::Arguments<'_>| line.write_fmt(words).expect("a string takes everything");
        if let Some(total) = self.bar.length() {
            add(format_args!(" of {}", HumanBytes(total)));
        }
        add(format_args!(", {}/s, {} hits", HumanBytes(rate as u64), HumanCount(hits)));
        match self.bar.length() {
            Some(_) => add(format_args!(", {} left", HumanDuration(self.bar.eta()))),
            None => add(format_args!(", {}", HumanDuration(self.begin.elapsed()))),
        }
        line
    }
}

impl Watch for Progress {
    fn searched(&self, bytes: u64, hits: u64) {
        self.hits.fetch_add(hits, Ordering::Relaxed);
        self.bar.inc(bytes);
        if self.bar.length().is_some_and(|total| self.bar.position() > total) {
            // The input grows.
            self.bar.unset_length();
            self.set_style(WITHOUT_TOTAL);
        }
        let elapsed = self.begin.elapsed();
        match &self.place {
            Place::Terminal { from, is_shown } => {
                if elapsed >= *from && !is_shown.swap(true, Ordering::Relaxed) {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            }
            Place::Lines { written } => {
                let due = (elapsed.as_nanos() / BETWEEN_LINES.as_nanos()) as u64;
                if written.fetch_max(due, Ordering::Relaxed) < due {
                    super::messages::say(&self.line());
                }
            }
        }
    }
}

/// Output that may go to the same terminal.
pub(super) struct WithProgress<W>(pub(super) Option<Arc<Progress>>, pub(super) W);

impl<W: Write> WithProgress<W> {
    fn aside<T>(&mut self, write: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        let WithProgress(progress, out) = self;
        match progress {
            Some(progress) => progress.aside(|| write(out)),
            None => write(out),
        }
    }
}

impl<W: Write> Write for WithProgress<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.aside(|out| out.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.aside(W::flush)
    }
}
