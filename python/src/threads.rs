//! Tasks for several threads, which the user can interrupt.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::{available_parallelism, scope};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::options;

/// Time between two checks of the waiting thread whether the user interrupted it.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Returns the number of threads to use: the given number, where 0 counts as 1, or by default one for each core.
pub(crate) fn thread_count(given: Option<i64>) -> PyResult<usize> {
    let count = match given {
        Some(given) => options::count("threads", given)?,
        None => available_parallelism().map_or(1, usize::from),
    };
    Ok(count.max(1))
}

/// Minimum number of bytes of a text whose search can be interrupted. A smaller text is one batch, and not worth a
/// thread.
const MIN_BYTES_FOR_THREAD: usize = 1 << 20;

/// Searches a text of `bytes` bytes, without the lock of the interpreter.
///
/// The argument of `search` becomes true if the user interrupts the search of a large text. It may then return early.
///
/// # Errors
/// Fails, after `search` returns, if the user interrupted it.
pub(crate) fn search<T: Send>(py: Python<'_>, bytes: usize, search: impl Fn(&AtomicBool) -> T + Sync) -> PyResult<T> {
    if bytes < MIN_BYTES_FOR_THREAD {
        return Ok(py.detach(|| search(&AtomicBool::new(false))));
    }
    let results = run(py, 1, 1, |_, is_interrupted| search(is_interrupted))?;
    Ok(results.into_iter().next().expect("a task has a result"))
}

/// Runs the tasks `0..count`, without the lock of the interpreter. Returns their results in order.
///
/// The second argument of a task becomes true if the user interrupts the call. The task may then return early.
///
/// # Errors
/// Fails, after the tasks that have begun return, if the user interrupted it.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    threads: usize,
    count: usize,
    task: impl Fn(usize, &AtomicBool) -> T + Sync,
) -> PyResult<Vec<T>> {
    let (next, is_interrupted) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut results = Vec::with_capacity(count);
    py.detach(|| {
        scope(|scope| {
            let (sender, receiver) = channel();
            for _ in 0..threads.min(count) {
                let (sender, next, is_interrupted, task) = (sender.clone(), &next, &is_interrupted, &task);
                scope.spawn(move || {
                    let claimed = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count);
                    while let Some(number) = claimed()
                        && sender.send((number, task(number, is_interrupted))).is_ok()
                    {}
                });
            }
            drop(sender);
            let mut checked = Instant::now();
            loop {
                match receiver.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(result) => results.push(result),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return PyResult::Ok(()),
                }
                if checked.elapsed() >= SIGNAL_INTERVAL {
                    // An error closes the channel, and each thread then ends after its current task.
                    let signals = Python::attach(|py| py.check_signals());
                    signals.inspect_err(|_| is_interrupted.store(true, Ordering::Relaxed))?;
                    checked = Instant::now();
                }
            }
        })
    })?;
    results.sort_unstable_by_key(|(number, _)| *number);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
