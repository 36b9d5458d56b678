//! Calls and tasks for several threads, which the user can interrupt.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{available_parallelism, scope};
use std::time::{Duration, Instant};

use nigh::{Interrupted, interruptible};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::options;

/// Time between two checks whether the user interrupted it.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Returns the number of threads to use: the given number, where 0 counts as 1, or by default one for each core.
pub(crate) fn thread_count(given: Option<i64>) -> PyResult<usize> {
    let count = match given {
        Some(given) => options::count("threads", given)?,
        None => available_parallelism().map_or(1, usize::from),
    };
    Ok(count.max(1))
}

/// The size of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSize {
    /// The call uses one thread: the caller's, which checks for signals itself. Starting another one may take longer.
    Small,
    /// The call runs in a thread of its own, while the caller's thread waits for signals.
    Large,
}

/// Minimum number of bytes of a text whose search is a large call.
const LARGE_TEXT: usize = 1 << 16;

impl CallSize {
    /// Returns the size of the search of a text of `bytes` bytes.
    pub(crate) fn of_text(bytes: usize) -> Self {
        if bytes < LARGE_TEXT { CallSize::Small } else { CallSize::Large }
    }
}

/// Runs `call` without the lock of the interpreter.
///
/// # Errors
/// Fails if the user interrupts the call, or if it panics.
pub(crate) fn run_call<T: Send>(py: Python<'_>, size: CallSize, call: impl FnOnce() -> T + Send) -> PyResult<T> {
    match size {
        CallSize::Small => run_in_place(py, call),
        CallSize::Large => {
            let call = Mutex::new(Some(call));
            let call = |_| call.lock().unwrap_or_else(PoisonError::into_inner).take();
            let results = run(py, 1, 1, |task| call(task).expect("there is one task")())?;
            Ok(results.into_iter().next().expect("a task has a result"))
        }
    }
}

/// Returns the exception for a panic, which is a fault of nigh. That of PyO3 is no `Exception`, so programs that catch all
/// errors would end.
pub(crate) fn of_panic(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    PyRuntimeError::new_err(format!("nigh stopped unexpectedly: {}", text.unwrap_or("a panic without a message")))
}

/// Runs `call` in the caller's thread.
fn run_in_place<T: Send>(py: Python<'_>, call: impl FnOnce() -> T + Send) -> PyResult<T> {
    let state = Arc::new(Mutex::new((Instant::now(), None)));
    let shared = state.clone();
    let is_interrupted = move || {
        let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0.elapsed() < SIGNAL_INTERVAL {
            return false;
        }
        drop(state);
        // A handler of signals may call nigh again, so nothing is locked meanwhile.
        let failure = Python::attach(|py| py.check_signals()).err();
        state = shared.lock().unwrap_or_else(PoisonError::into_inner);
        *state = (Instant::now(), failure);
        state.1.is_some()
    };
    let call = AssertUnwindSafe(|| interruptible(is_interrupted, call));
    let result = py.detach(|| catch_unwind(call)).map_err(|panic| of_panic(&*panic))?;
    result.map_err(|Interrupted| {
        let failure = state.lock().unwrap_or_else(PoisonError::into_inner).1.take();
        failure.unwrap_or_else(|| PyRuntimeError::new_err(Interrupted.to_string()))
    })
}

/// Runs the tasks `0..count`, without the lock of the interpreter. Returns their results in order.
///
/// # Errors
/// Fails if the user interrupts the tasks, or if one panics.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    count: usize,
    task: impl Fn(usize) -> T + Sync,
) -> PyResult<Vec<T>> {
    let (next, is_interrupted) = (AtomicUsize::new(0), Arc::new(AtomicBool::new(false)));
    let failure = Mutex::new(None);
    let mut results = py.detach(|| {
        scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..threads.min(count) {
                let (sender, next, flag, task) = (sender.clone(), &next, is_interrupted.clone(), &task);
                let failure = &failure;
                let work = move || {
                    let claimed = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count);
                    while let Some(number) = claimed()
                        && sender.send((number, task(number))).is_ok()
                    {}
                };
                let work = AssertUnwindSafe(move || interruptible(move || flag.load(Ordering::Relaxed), work));
                scope.spawn(move || {
                    if let Err(panic) = catch_unwind(work) {
                        *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(of_panic(&*panic));
                    }
                });
            }
            drop(sender);
            let results = receive(&receiver, count);
            // The threads end at their next check.
            results.inspect_err(|_| is_interrupted.store(true, Ordering::Relaxed))
        })
    })?;
    if let Some(failure) = failure.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(failure);
    }
    results.sort_unstable_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}

/// Receives up to `count` results.
///
/// # Errors
/// Fails if the user interrupts the call.
fn receive<T>(receiver: &Receiver<(usize, T)>, count: usize) -> PyResult<Vec<(usize, T)>> {
    let mut results = Vec::with_capacity(count);
    let mut checked = Instant::now();
    loop {
        match receiver.recv_timeout(SIGNAL_INTERVAL) {
            Ok(result) => results.push(result),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Ok(results),
        }
        if checked.elapsed() >= SIGNAL_INTERVAL {
            Python::attach(|py| py.check_signals())?;
            checked = Instant::now();
        }
    }
}
