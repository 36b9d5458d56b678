//! The engine for the processor's cores: Myers' words to find hits, quadrants to trace them back.

mod bitslice;
mod cost;
mod filter;
mod kept;
mod myers;
mod simd;
mod traceback;

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use self::kept::{Kept, keep_each_once};
use super::encoder::{Chunk, Classes, Encoder};
use super::{Aligner, Engine, EngineError, Scanner, deliver, settle};
use crate::hit::{Hit, HitSink};
use crate::input::Batch;
use crate::pattern::{Pattern, PatternSet};
use bitslice::myers::SlicedPattern;
use bitslice::planes::PlaneCodes;
use bitslice::scanner::SlicedScanner;
use filter::scanner::{Filter, FilteredScanner, Instead};
use myers::{Column, WordPattern};
pub use simd::isa::Isa;
use traceback::aligner::CpuAligner;

/// Large enough that the context of the streams is a small part, and small enough that planes fit the cache.
const BATCH_BYTES: usize = 1 << 20;
/// Long patterns want long streams, up to here.
const LARGEST_BATCH: usize = 8 << 20;
/// The most hits that one chunk of text can have over all patterns: a bound for memory.
const CHUNK_HITS: usize = 1 << 16;
/// The least chunk: with fewer symbols a time, changing from pattern to pattern would cost more than scanning.
const SMALLEST_CHUNK: usize = 1 << 10;

/// The engine.
pub struct CpuEngine {
    patterns: Arc<PatternSet>,
    classes: Classes,
    words: Vec<WordPattern>,
    isa: Isa,
    /// The codes of planes, if there are few enough for them.
    plane_codes: Option<PlaneCodes>,
    sliced: Vec<SlicedPattern>,
    /// The filter, chosen when the first of the text has been seen.
    filter: OnceLock<Option<Filter>>,
    /// The same for batches with too little text for slices: their sample is smaller, and should not decide for large ones.
    small_filter: OnceLock<Option<Filter>>,
    /// Text of small batches, until it is enough for `small_filter`.
    small_sample: Mutex<Vec<u8>>,
    threads: usize,
}

impl CpuEngine {
    /// An engine for some patterns on so many cores, with the widest lanes that the processor has, or those that the
    /// environment variable NIGH_ISA names: `avx512`, `avx2`, `neon` or `portable`.
    ///
    /// # Errors
    /// When the patterns tell too many symbols apart, or the processor does not have what is named.
    pub fn new(patterns: Arc<PatternSet>, threads: usize) -> Result<Self, EngineError> {
        CpuEngine::with_isa(patterns, threads, Isa::chosen()?)
    }

    /// The same with lanes of an instruction set of choice.
    ///
    /// # Errors
    /// When the patterns tell too many symbols apart.
    pub fn with_isa(patterns: Arc<PatternSet>, threads: usize, isa: Isa) -> Result<Self, EngineError> {
        let classes = Classes::new(&patterns)?;
        let words = patterns.patterns().iter().map(|pattern| WordPattern::new(pattern, &classes)).collect();
        let plane_codes = PlaneCodes::new(&classes);
        let sliced = match plane_codes {
            Some(_) => {
                let all = patterns.patterns().iter();
                all.map(|pattern| SlicedPattern::new(pattern, bitslice::prefix::rows(pattern), &classes)).collect()
            }
            None => Vec::new(),
        };
        Ok(CpuEngine {
            patterns,
            classes,
            words,
            isa,
            plane_codes,
            sliced,
            filter: OnceLock::new(),
            small_filter: OnceLock::new(),
            small_sample: Mutex::new(Vec::new()),
            threads,
        })
    }

    /// The filter for small batches, if one pays; `None` too until there was enough text to choose it by.
    fn small_filter(&self, text: &[u8]) -> Option<&Filter> {
        if let Some(filter) = self.small_filter.get() {
            return filter.as_ref();
        }
        // Another worker may add to it, and the next batch will do.
        let mut sample = self.small_sample.try_lock().ok()?;
        sample.extend_from_slice(text);
        if sample.len() < MIN_SAMPLE {
            return None;
        }
        let sample = std::mem::take(&mut *sample);
        self.small_filter.get_or_init(|| Filter::new(self, &sample)).as_ref()
    }

    /// What it costs to search a pattern in slices, see [`plan`].
    fn sliced_cost(&self, pattern: usize) -> f64 {
        cost::sliced(self.sliced[pattern].size(), self.isa.streams())
    }

    /// What it costs to search one window for a pattern.
    fn window_cost(&self, pattern: usize) -> f64 {
        let words = &self.words[pattern];
        cost::window((words.length(), words.length().div_ceil(myers::ROWS)), words.k())
    }

    /// Whether a batch is searched in slices: there must be enough text for all streams.
    fn slices(&self, batch: &Batch) -> bool {
        // Headers of records are no text.
        let text: usize = batch.runs().map(|run| run.len()).sum();
        let steps = text / self.isa.streams();
        let is_indexed = u32::try_from(batch.bytes().len()).is_ok();
        self.plane_codes.is_some()
            && !self.sliced.is_empty()
            && is_indexed
            && steps >= 2 * self.patterns.reach().max(16)
    }
}

impl Engine for CpuEngine {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn patterns(&self) -> &Arc<PatternSet> {
        &self.patterns
    }

    fn plan(&self) -> Vec<String> {
        let Self { isa, threads, .. } = self;
        let mut lines = vec![format!("cpu engine, {threads} workers, {}", isa.name())];
        let patterns = self.patterns.patterns();
        let lengths = || patterns.iter().map(|pattern| pattern.symbols().len());
        let errors = || patterns.iter().map(Pattern::k);
        if let (Some(shortest), Some(longest)) = (lengths().min(), lengths().max()) {
            let (least, most) = (errors().min().unwrap_or(0), errors().max().unwrap_or(0));
            let count = patterns.len();
            lines.push(format!(
                "{count} patterns, strands and all, of {shortest} to {longest} symbols, k {least} to {most}"
            ));
        }
        lines.push(match self.filter.get() {
            None => "no batch was large enough for more than words".to_owned(),
            Some(None) => "no filter pays".to_owned(),
            Some(Some(filter)) => filter.plan(),
        });
        let filter = self.filter.get().and_then(Option::as_ref);
        let sliced = |prefix: bool| {
            let not_filtered = |index: &usize| !filter.is_some_and(|filter| filter.filtered()[*index]);
            (0..self.sliced.len())
                .filter(not_filtered)
                .filter(|&index| self.sliced[index].is_prefix() == prefix)
                .count()
        };
        if self.filter.get().is_some() {
            lines.push(format!("in slices: {} whole patterns, {} prefixes", sliced(false), sliced(true)));
        }
        lines
    }

    fn workers(&self) -> usize {
        self.threads
    }

    fn batch_bytes(&self) -> usize {
        BATCH_BYTES.max(8 * self.patterns.reach() * self.isa.streams()).min(LARGEST_BATCH)
    }

    fn estimate(&self, batch: &Batch) -> Option<Duration> {
        let cost = match self.slices(batch) {
            true => match self.filter.get_or_init(|| Filter::new(self, batch.bytes())) {
                Some(filter) => filter.cost(),
                None => cost::unfiltered((0..self.sliced.len()).map(|index| self.sliced_cost(index))),
            },
            false => cost::in_words(self.words.iter().map(WordPattern::words).sum()),
        };
        Some(cost::time(cost, batch.owned().len()))
    }

    fn scanner(&self) -> Result<Box<dyn Scanner + '_>, EngineError> {
        let words = WordScanner { engine: self, columns: Vec::new(), chunk: Chunk::default(), hits: Vec::new() };
        let filtered = FilteredScanner::new(Instead::Slices);
        let filtered_small = FilteredScanner::new(Instead::Words);
        let sliced = SlicedScanner::new();
        Ok(Box::new(CpuScanner { words, filtered, filtered_small, sliced, hits: Vec::new() }))
    }

    fn aligner(&self) -> Result<Box<dyn Aligner + '_>, EngineError> {
        Ok(Box::new(CpuAligner::new(self)))
    }
}

/// With fewer bytes, a filter saves nothing.
const MIN_FILTERED: usize = 1 << 10;
/// In fewer bytes it is not seen which pieces of patterns are rare.
const MIN_SAMPLE: usize = 4 << 10;

/// Scans what is large enough by filters and in slices, and the rest in words.
struct CpuScanner<'a> {
    words: WordScanner<'a>,
    filtered: FilteredScanner,
    /// The same for batches with too little text for slices.
    filtered_small: FilteredScanner,
    sliced: SlicedScanner,
    hits: Vec<Hit>,
}

impl Scanner for CpuScanner<'_> {
    fn scan(&mut self, batch: &Batch, sink: &mut dyn HitSink) -> Result<(), EngineError> {
        let engine = self.words.engine;
        self.hits.clear();
        let kept = match engine.slices(batch) {
            true => self.scan_large(engine, batch),
            false => self.scan_small(engine, batch),
        };
        if kept == Kept::TooMany {
            return self.words.scan(batch, sink);
        }
        keep_each_once(&mut self.hits);
        // Whether it has had enough is of no interest behind the last.
        let _ = deliver(&self.hits, sink);
        Ok(())
    }
}

impl CpuScanner<'_> {
    /// Scans a small file, or the like, by a filter that has all patterns. Otherwise it has to be scanned in words.
    fn scan_small(&mut self, engine: &CpuEngine, batch: &Batch) -> Kept {
        let length = batch.bytes().len();
        if engine.patterns.alphabet().is_sequence() || engine.sliced.is_empty() || length < MIN_FILTERED {
            return Kept::TooMany;
        }
        let Some(filter) =
            engine.small_filter(batch.bytes()).filter(|filter| filter.filtered().iter().all(|&filtered| filtered))
        else {
            return Kept::TooMany;
        };
        let kept = self.filtered_small.scan(engine, filter, batch, &mut self.hits);
        if kept == Kept::TooMany
            || !(0..engine.patterns.patterns().len()).all(|index| self.filtered_small.has_scanned(index))
        {
            self.hits.clear();
            return Kept::TooMany;
        }
        Kept::All
    }

    fn scan_large(&mut self, engine: &CpuEngine, batch: &Batch) -> Kept {
        if let Some(filter) = engine.filter.get_or_init(|| Filter::new(engine, batch.bytes()))
            && self.filtered.scan(engine, filter, batch, &mut self.hits) == Kept::TooMany
        {
            self.hits = Vec::new();
            return Kept::TooMany;
        }
        let sliced = (0..engine.sliced.len()).filter(|&index| !self.filtered.has_scanned(index));
        self.sliced.scan(engine, batch, sliced, &mut self.hits)
    }
}

struct WordScanner<'a> {
    engine: &'a CpuEngine,
    /// One for each pattern, from the first batch on that is searched in words.
    columns: Vec<Column>,
    chunk: Chunk,
    hits: Vec<Hit>,
}

impl WordScanner<'_> {
    fn scan(&mut self, batch: &Batch, hits: &mut dyn HitSink) -> Result<(), EngineError> {
        if self.columns.is_empty() {
            self.columns.extend(self.engine.words.iter().map(Column::new));
        }
        for (column, pattern) in self.columns.iter_mut().zip(&self.engine.words) {
            column.reset(pattern);
        }
        let most = (CHUNK_HITS / self.columns.len().max(1)).max(SMALLEST_CHUNK);
        let mut encoder = Encoder::new(&self.engine.classes, batch, most);
        while encoder.next_chunk(&mut self.chunk) {
            self.scan_chunk(batch);
            if !self.hits.is_empty() && hits.accept(&self.hits).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl WordScanner<'_> {
    fn scan_chunk(&mut self, batch: &Batch) {
        self.hits.clear();
        let chunk = &self.chunk;
        for (index, (column, words)) in self.columns.iter_mut().zip(&self.engine.words).enumerate() {
            let found = &mut self.hits;
            column.scan(words, chunk.codes(), |at, distance| {
                let end = chunk.end(at);
                if batch.owns(end) {
                    found.push(Hit { end, pattern: index, distance, start: None });
                }
            });
        }
        // They come in a few ascending runs, which is what this sort is fast at.
        self.hits.sort();
        let set = &self.engine.patterns;
        if set.has_edges() {
            let settled = self.hits.iter().filter_map(|&hit| {
                let pattern = &set.patterns()[hit.pattern];
                match pattern.is_free() {
                    true => Some(hit),
                    false => settle(set.alphabet(), batch, pattern, hit),
                }
            });
            self.hits = settled.collect();
        }
    }
}
