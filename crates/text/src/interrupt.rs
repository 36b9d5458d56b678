//! Ends a long call early.
//!
//! [`interruptible`] runs a call with a condition. The slow loops of the call check the condition, and once it is true
//! they unwind the stack to [`interruptible`]. The payload is private, so no panic handler runs and nothing is printed.
//! Threads that work for the call take the condition over with [`Inherited`].

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The error of a call that was interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

impl fmt::Display for Interrupted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call was interrupted")
    }
}

impl Error for Interrupted {}

/// The condition of a call.
struct StopCondition {
    is_met: Box<dyn Fn() -> bool + Send + Sync>,
    /// Whether a check of any thread found the condition true.
    has_ended: AtomicBool,
}

impl StopCondition {
    fn ends(&self) -> bool {
        self.has_ended.load(Ordering::Relaxed) || (self.is_met)() && !self.has_ended.swap(true, Ordering::Relaxed)
    }
}

/// The payload that unwinds the stack of an interrupted call.
struct Unwinding;

thread_local! {
    static CONDITION: RefCell<Option<Arc<StopCondition>>> = const { RefCell::new(None) };
    /// Whether there is a condition. It needs no destructor, so it is faster to read.
    static HAS_CONDITION: Cell<bool> = const { Cell::new(false) };
}

/// Runs `call`, and ends it early once `condition` returns true. Searches, comparisons and alignments check the
/// condition every few milliseconds, also in the threads that they start. It may be called by several threads at a time.
///
/// A value that the call was changing may be left half changed: do not use it again. A call only reads searchers and
/// aligners, so they can be used again.
///
/// # Errors
/// Fails if a check found the condition true, also if the call then returned.
///
/// # Examples
///
/// ```
/// # use nigh_text::interrupt as nigh;
/// use std::time::{Duration, Instant};
///
/// let end = Instant::now() + Duration::from_secs(600);
/// // In place of a search of a long text.
/// let count = nigh::interruptible(move || Instant::now() > end, || (0..1_000).filter(|number| number % 7 == 0).count());
/// assert_eq!(count?, 143);
/// # Ok::<(), nigh::Interrupted>(())
/// ```
pub fn interruptible<T>(
    condition: impl Fn() -> bool + Send + Sync + 'static,
    call: impl FnOnce() -> T,
) -> Result<T, Interrupted> {
    let condition = Arc::new(StopCondition { is_met: Box::new(condition), has_ended: AtomicBool::new(false) });
    let result = Inherited(Some(condition.clone())).run(call);
    result.filter(|_| !condition.has_ended.load(Ordering::Relaxed)).ok_or(Interrupted)
}

/// Ends the call that the current thread works for if its condition is true. Must not be called while the thread holds a
/// lock.
#[inline]
pub fn check() {
    if HAS_CONDITION.get() {
        check_condition();
    }
}

/// Checks as [`check`] does, but only if `index` is a multiple of 64. For loops of which a step takes less than a
/// microsecond.
#[inline]
pub fn check_at(index: usize) {
    if index.is_multiple_of(64) {
        check();
    }
}

#[cold]
fn check_condition() {
    let condition = CONDITION.with_borrow(Clone::clone);
    // A second panic would abort the program.
    if !std::thread::panicking() && condition.is_some_and(|condition| condition.ends()) {
        resume_unwind(Box::new(Unwinding));
    }
}

/// The condition of the call that a thread works for, for other threads that work for the same call.
#[derive(Clone)]
pub struct Inherited(Option<Arc<StopCondition>>);

impl Inherited {
    /// Takes over the condition of the current thread.
    pub fn current() -> Self {
        Inherited(CONDITION.with_borrow(Clone::clone))
    }

    /// Runs `work` with the condition. Returns `None` if a check ended it.
    pub fn run<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let _restored = RestoredCondition(replace(self.0.clone()));
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Some(result),
            Err(payload) if payload.is::<Unwinding>() => None,
            Err(payload) => resume_unwind(payload),
        }
    }
}

/// Sets the condition of the current thread. Returns the one before.
fn replace(condition: Option<Arc<StopCondition>>) -> Option<Arc<StopCondition>> {
    HAS_CONDITION.set(condition.is_some());
    CONDITION.replace(condition)
}

/// Sets the condition of the thread again when it is dropped.
struct RestoredCondition(Option<Arc<StopCondition>>);

impl Drop for RestoredCondition {
    fn drop(&mut self) {
        replace(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_ends_at_the_first_check_after_the_condition_is_true() {
        let flag = Arc::new(AtomicBool::new(false));
        let (condition, mut checks) = (flag.clone(), 0);
        let result = interruptible(
            move || condition.load(Ordering::Relaxed),
            || {
                for number in 0..10 {
                    check();
                    checks += 1;
                    flag.store(number == 3, Ordering::Relaxed);
                }
            },
        );
        assert_eq!((result, checks), (Err(Interrupted), 4));
        check();
    }

    #[test]
    fn threads_inherit_the_condition_and_other_panics_go_on() {
        let result = interruptible(
            || true,
            || {
                let inherited = Inherited::current();
                std::thread::scope(|scope| scope.spawn(|| inherited.run(check)).join().expect("no panic"))
            },
        );
        assert_eq!(result, Err(Interrupted), "a thread of the call was interrupted");
        assert_eq!(interruptible(|| false, || (check(), 3).1), Ok(3));
        let panic = catch_unwind(|| interruptible(|| true, || resume_unwind(Box::new("another"))));
        assert_eq!(panic.map(|result: Result<(), Interrupted>| result).unwrap_err().downcast_ref(), Some(&"another"));
    }

    #[test]
    fn an_inner_call_has_its_own_condition() {
        let outer = interruptible(
            || false,
            || {
                let inner = interruptible(|| true, check);
                check();
                inner
            },
        );
        assert_eq!(outer, Ok(Err(Interrupted)));
    }
}
