//! Shows the progress of a search on standard error.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::args::When;
use nigh_search::ProgressObserver;

/// Delay before progress is shown without `--progress`. Shorter searches show no progress.
const DELAY: Duration = Duration::from_secs(1);
/// Interval between lines if standard error is not a terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(1);

const WITH_TOTAL: &str = "{bytes} of {total_bytes}, {bytes_per_sec}, {hits} {unit}, {eta} left";
const WITHOUT_TOTAL: &str = "{bytes}, {bytes_per_sec}, {hits} {unit}, {elapsed}";

/// Shows bytes, rate, hits and time. On a terminal this is a status line, which is removed at the end; elsewhere one
/// line is printed per second.
pub(super) struct Progress {
    bar: ProgressBar,
    hits: Arc<AtomicU64>,
    /// The noun for the counted results, such as `hits`.
    unit: &'static str,
    begin: Instant,
    place: ProgressForm,
}

/// The form in which progress is shown.
enum ProgressForm {
    /// As a status line of a terminal, once the search has taken the time `from`.
    Terminal { from: Duration, is_shown: AtomicBool },
    /// As lines, one per [`BETWEEN_LINES`]. `written` is the number of intervals that had passed when the last line was
    /// printed.
    Lines { written: AtomicU64 },
}

impl Progress {
    /// Creates a progress display, or returns `None` if no progress is to be shown. `unit` is the noun for the counted
    /// results, such as `hits`. `total` returns the number of input bytes, if known.
    pub(super) fn wanted(display: When, unit: &'static str, total: impl FnOnce() -> Option<u64>) -> Option<Arc<Self>> {
        let on_terminal = io::stderr().is_terminal();
        let is_shown = match display {
            When::Always => true,
            When::Never => false,
            When::Auto => on_terminal && !io::stdout().is_terminal(),
        };
        if !is_shown {
            return None;
        }
        let place = if on_terminal {
            let from = if display == When::Always { Duration::ZERO } else { DELAY };
            ProgressForm::Terminal { from, is_shown: AtomicBool::new(false) }
        } else {
            ProgressForm::Lines { written: AtomicU64::new(0) }
        };
        let total = total();
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let progress = Progress { bar, hits: Arc::default(), unit, begin: Instant::now(), place };
        progress.set_style(if total.is_some() { WITH_TOTAL } else { WITHOUT_TOTAL });
        Some(Arc::new(progress))
    }

    /// Sets the template of the status line.
    fn set_style(&self, template: &str) {
        let hits = self.hits.clone();
        let style = ProgressStyle::with_template(template).expect("the templates are right");
        let write_hits = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A write error here cannot be handled.
            let _ = write!(out, "{}", HumanCount(hits.load(Ordering::Relaxed)));
        };
        let unit = self.unit;
        let write_unit = move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let _ = out.write_str(unit);
        };
        self.bar.set_style(style.with_key("hits", write_hits).with_key("unit", write_unit));
    }

    /// Hides the status line while `write` runs.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }

    /// Removes the status line.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// Formats the line for output that is not a terminal.
    fn line(&self) -> String {
        let (bytes, rate, hits) = (self.bar.position(), self.bar.per_sec(), self.hits.load(Ordering::Relaxed));
        let mut line = HumanBytes(bytes).to_string();
        let mut add = |words: std::fmt::Arguments<'_>| line.write_fmt(words).expect("a string takes everything");
        if let Some(total) = self.bar.length() {
            add(format_args!(" of {}", HumanBytes(total)));
        }
        add(format_args!(", {}/s, {} {}", HumanBytes(rate as u64), HumanCount(hits), self.unit));
        match self.bar.length() {
            Some(_) => add(format_args!(", {} left", HumanDuration(self.bar.eta()))),
            None => add(format_args!(", {}", HumanDuration(self.begin.elapsed()))),
        }
        line
    }
}

impl ProgressObserver for Progress {
    fn searched(&self, bytes: u64, hits: u64) {
        self.hits.fetch_add(hits, Ordering::Relaxed);
        self.bar.inc(bytes);
        if self.bar.length().is_some_and(|total| self.bar.position() > total) {
            // The input has grown, so the total is no longer known.
            self.bar.unset_length();
            self.set_style(WITHOUT_TOTAL);
        }
        let elapsed = self.begin.elapsed();
        match &self.place {
            ProgressForm::Terminal { from, is_shown } => {
                if elapsed >= *from && !is_shown.swap(true, Ordering::Relaxed) {
                    self.bar.set_draw_target(ProgressDrawTarget::stderr());
                }
            }
            ProgressForm::Lines { written } => {
                let due = (elapsed.as_nanos() / BETWEEN_LINES.as_nanos()) as u64;
                if written.fetch_max(due, Ordering::Relaxed) < due {
                    super::messages::say(&self.line());
                }
            }
        }
    }
}

/// A writer that hides the status line during each write, because the output may go to the same terminal.
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
