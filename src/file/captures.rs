//! The groups of matches in files.

use crate::searcher::{Captures, Searcher};
use nigh_report::FileHit;

impl Searcher {
    /// Returns the groups of a hit that this searcher has found in a file, as [`captures`](Self::captures) does for a text in
    /// memory; `None` unless the searcher was built with [`captures`](crate::SearcherBuilder::captures). The offsets of
    /// groups are in the unit of [`FileHit::start`].
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use nigh::{Alphabet, FileEvent, Notation, Searcher};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let log = folder.path().join("log");
    /// std::fs::write(&log, "user bob accepted\nusr ann refused\n")?;
    /// let builder = Searcher::builder(Alphabet::Text).pattern(r"user (?<name>\w+) refused");
    /// let searcher = builder.notation(Notation::Regex).captures(true).max_edits(1).build()?;
    /// let mut names = Vec::new();
    /// searcher.file(&log).best().for_each(|event| {
    ///     if let FileEvent::Hit(hit) = event {
    ///         let groups = searcher.file_captures(&hit).expect("the searcher keeps groups");
    ///         names.extend(groups.name("name").map(|group| (group.range(), group.text().to_vec())));
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(names, [(22..25, b"ann".to_vec())]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn file_captures<'a>(&'a self, hit: &FileHit<'a>) -> Option<Captures<'a>> {
        self.captures_of(hit.alternative?, hit.start as usize, hit.text, hit.cigar)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::ops::{ControlFlow, Range};

    use fastrand::Rng;

    use crate::file::FileEvent;
    use crate::searcher::{Captures, Searcher};
    use nigh_pattern::Notation;
    use nigh_text::alphabet::Alphabet;

    /// The range and the text of each group; `None` for a group that took no part.
    type GroupRow = Vec<Option<(Range<usize>, Vec<u8>)>>;

    /// Returns the groups of a match in a line or record that has the offset `at`.
    fn row(groups: &Captures<'_>, at: usize) -> GroupRow {
        let placed = groups.iter().map(|group| {
            let group = group?;
            Some((at + group.start()..at + group.end(), group.text().to_vec()))
        });
        placed.collect()
    }

    #[test]
    fn groups_in_a_file_are_those_of_its_lines_and_records() {
        let mut rng = Rng::with_seed(43);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        for (alphabet, letters, pattern) in [
            (Alphabet::Text, "abc ", "(?<first>a.)(b)?|(cc)a|b(c{2,3})b"),
            (Alphabet::Dna, "ACGT", "(AC.)G(T?)TA|(CCGG)A"),
        ] {
            let builder = Searcher::builder(alphabet).pattern(pattern).notation(Notation::Regex);
            let searcher = builder.clone().captures(true).max_edits(1).build();
            let searcher = searcher.or_else(|_| builder.captures(true).max_edits(0).build()).unwrap();
            let (mut file, mut expected): (Vec<u8>, Vec<GroupRow>) = Default::default();
            for item in 0..20 {
                let length = if item == 7 { 20_000 } else { 200 };
                let content: Vec<u8> = (0..length).map(|_| letters.as_bytes()[rng.usize(..4)]).collect();
                let at = if alphabet == Alphabet::Text { file.len() } else { 0 };
                let groups = searcher.find_iter(&content).best().map(|one| row(&searcher.captures(&one).unwrap(), at));
                expected.extend(groups);
                if alphabet == Alphabet::Dna {
                    file.extend(format!(">{item}\n").bytes());
                    content.chunks(61).for_each(|line| file.extend([line, b"\n"].concat()));
                } else {
                    file.extend([&content[..], b"\n"].concat());
                }
            }
            fs::write(&path, file).unwrap();
            for threads in [1, 3] {
                let mut found = Vec::new();
                let search = searcher.file(&path).best().threads(threads).for_each(|event| {
                    if let FileEvent::Hit(hit) = event {
                        found.push(row(&searcher.file_captures(&hit).unwrap(), 0));
                    }
                    ControlFlow::Continue(())
                });
                search.unwrap();
                assert!(found == expected, "{pattern}: {} and {} hits", found.len(), expected.len());
            }
            assert!(expected.iter().flatten().filter(|group| group.is_none()).count() > 100, "{pattern}");
        }
    }

    #[test]
    fn a_searcher_without_groups_has_none_in_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "abc\n").unwrap();
        let searcher = Searcher::new("abc", 1).unwrap();
        let search = searcher.file(&path).for_each(|event| {
            if let FileEvent::Hit(hit) = event {
                assert!(searcher.file_captures(&hit).is_none());
            }
            ControlFlow::Continue(())
        });
        search.unwrap();
    }
}
