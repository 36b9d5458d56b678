//! A sort-merge join of the sites of a record: products in the order of their starts.
//!
//! A product spans from a site on the forward strand, its left site, to a site on the reverse strand, its right site.
//! Sites arrive in the order of their ends. A left site waits until all sites are known that end within the maximum
//! product length of its start. A binary search over the right sites of its partners then gives its products. Memory:
//! the sites of one window, and the products of one start. n sites with p products take O(n log n + p log p) time, and
//! O(n log n) if the products of pairs are only counted.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::pairs::{Pooling, PrimerCombination, PrimerPairs};
use super::site::Site;
use nigh_pattern::Strand;
use nigh_report::RecordShape;

/// A product.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Product<'a> {
    pub(crate) left: &'a Site,
    pub(crate) right: &'a Site,
    pub(crate) primers: PrimerCombination,
    /// The strand of the first primer.
    pub(crate) strand: Strand,
}

impl<'a> Product<'a> {
    /// Returns the site of the first primer.
    pub(crate) fn first(&self) -> &'a Site {
        if self.strand == Strand::Forward { self.left } else { self.right }
    }

    /// Returns the site of the second primer.
    pub(crate) fn second(&self) -> &'a Site {
        if self.strand == Strand::Forward { self.right } else { self.left }
    }
}

/// Receives products in the order (start, end, name).
pub(crate) type ProductSink<'a> = dyn FnMut(&Product<'_>) -> io::Result<()> + 'a;

/// Joins the sites of one record at a time to products.
pub(crate) struct ProductJoin {
    pairs: Arc<PrimerPairs>,
    /// Length of the longest match of a primer.
    longest_site: u64,
    demand: ProductDemand,
    /// The form of records.
    shape: RecordShape,
    /// Maximum length of a product: the length of the circle once the record has ended, otherwise `u64::MAX`.
    circumference: u64,
    /// Sites on the forward strand whose products were not passed on yet, by start.
    left: VecDeque<Site>,
    /// For each pattern, its sites on the reverse strand, by end.
    right: Vec<VecDeque<Site>>,
    /// Indices of `right` that may have sites.
    filled: Vec<usize>,
    /// For each combination, its number of products in the record so far.
    made: HashMap<PrimerCombination, u64>,
    /// Combinations that exceeded `max_products` in this record, in the order in which they exceeded it.
    overflowed: Vec<PrimerCombination>,
}

/// Whether products are passed on, or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProductDemand {
    /// Of the products of two primers in a record, at most `max` are passed on.
    Rows { max: u64 },
    /// [`ProductJoin::take_counts`] returns the numbers of products. None is passed on.
    Counts,
}

/// A product as indices.
struct FoundProduct {
    /// Index in `left`.
    left: usize,
    /// Index of the list in `right`, and index of the site in that list.
    right: (usize, usize),
    end: u64,
    primers: PrimerCombination,
    strand: Strand,
}

impl ProductJoin {
    pub(crate) fn new(pairs: Arc<PrimerPairs>, longest_site: usize, shape: RecordShape, demand: ProductDemand) -> Self {
        let lists = pairs.pattern_count();
        ProductJoin {
            pairs,
            longest_site: longest_site as u64,
            demand,
            shape,
            circumference: u64::MAX,
            left: VecDeque::new(),
            right: (0..lists).map(|_| VecDeque::new()).collect(),
            filled: Vec::new(),
            made: HashMap::new(),
            overflowed: Vec::new(),
        }
    }

    /// Returns the maximum number of residues at the start of a circular record that are repeated after its end; 0 if
    /// records are linear.
    pub(crate) fn extension(&self) -> u64 {
        match self.shape {
            RecordShape::Linear => 0,
            RecordShape::Circular => self.pairs.max_length() + self.longest_site,
        }
    }

    /// Adds the next site of the record, in the order of ends.
    pub(crate) fn add(&mut self, site: Site) {
        match site.strand {
            Strand::Forward => {
                let place = self.left.iter().rposition(|other| other.start <= site.start);
                self.left.insert(place.map_or(0, |before| before + 1), site);
            }
            Strand::Reverse => {
                let list = &mut self.right[site.pattern];
                if list.is_empty() {
                    self.filled.push(site.pattern);
                }
                list.push_back(site);
            }
        }
    }

    /// Passes to `next` every product that precedes all products that are not known yet. All sites that end at or
    /// before `known_to` must have been added. Returns the position before which the residues of the record are no
    /// longer needed.
    pub(crate) fn advance(&mut self, known_to: u64, next: &mut ProductSink<'_>) -> io::Result<u64> {
        let mut reach = self.pairs.max_length().max(self.longest_site);
        if self.shape == RecordShape::Circular {
            // A circle has at least `known_to - extension` residues. A product starts before the end of the circle and
            // is at most as long as the circle.
            reach = self.extension() + 1;
            if known_to < reach + self.pairs.max_length() {
                return Ok(0);
            }
        }
        while let Some(first) = self.left.front()
            && first.start + reach <= known_to
        {
            self.pass_on_first(next)?;
        }
        let later = (known_to + 1).saturating_sub(self.longest_site);
        let needed = self.left.front().map_or(later, |first| first.start.min(later));
        let ProductJoin { filled, right, .. } = self;
        filled.retain(|&list| {
            let kept = right[list].partition_point(|site| site.end < needed);
            right[list].drain(..kept);
            !right[list].is_empty()
        });
        Ok(needed)
    }

    /// Ends the record and passes the remaining products to `next`. `length` is the length of the record with its
    /// repeated residues, and is used only for circles. Returns the combinations that exceeded the maximum number of
    /// products.
    pub(crate) fn finish(&mut self, length: u64, next: &mut ProductSink<'_>) -> io::Result<Vec<PrimerCombination>> {
        if self.shape == RecordShape::Circular {
            let extension = self.extension();
            self.circumference = if length >= 2 * extension { length - extension } else { length / 2 };
            self.left.truncate(self.left.partition_point(|site| site.start < self.circumference));
        }
        while !self.left.is_empty() {
            self.pass_on_first(next)?;
        }
        let ProductJoin { filled, right, .. } = self;
        filled.drain(..).for_each(|list| right[list].clear());
        if !self.made.is_empty() && self.demand != ProductDemand::Counts {
            self.made.clear();
        }
        self.circumference = u64::MAX;
        Ok(std::mem::take(&mut self.overflowed))
    }

    /// Returns the number of products of each combination that has any, since the last call. Call it between records.
    pub(crate) fn take_counts(&mut self) -> HashMap<PrimerCombination, u64> {
        match self.demand {
            ProductDemand::Rows { .. } => HashMap::new(),
            ProductDemand::Counts => std::mem::take(&mut self.made),
        }
    }

    /// Passes to `next` the products whose left sites have the first start, and removes these sites.
    fn pass_on_first(&mut self, next: &mut ProductSink<'_>) -> io::Result<()> {
        let start = self.left[0].start;
        let count = self.left.partition_point(|site| site.start == start);
        let max_products = match self.demand {
            ProductDemand::Rows { max } => max,
            ProductDemand::Counts => {
                (0..count).for_each(|index| self.count(index));
                self.left.drain(..count);
                return Ok(());
            }
        };
        let mut found = Vec::new();
        for index in 0..count {
            for &primer in self.pairs.primers_of(self.left[index].pattern) {
                self.find(index, primer, max_products, &mut found);
            }
        }
        found.sort_unstable_by(|a, b| {
            let inner = |&FoundProduct { left, right: (list, index), .. }: &FoundProduct| {
                (self.left[left].end, self.right[list][index].start)
            };
            let names = || self.pairs.compare(a.primers, b.primers);
            let strands = || (a.strand == Strand::Reverse).cmp(&(b.strand == Strand::Reverse));
            a.end.cmp(&b.end).then_with(names).then_with(strands).then_with(|| inner(a).cmp(&inner(b)))
        });
        for FoundProduct { left, right: (list, index), primers, strand, .. } in found {
            let made = self.made.entry(primers).or_default();
            *made += 1;
            if *made <= max_products {
                next(&Product { left: &self.left[left], right: &self.right[list][index], primers, strand })?;
            } else if *made == max_products + 1 {
                self.overflowed.push(primers);
            }
        }
        self.left.drain(..count);
        Ok(())
    }

    /// Appends to `found` the products of the left site with the index `index`, as a site of `primer`.
    fn find(&self, index: usize, primer: u32, max_products: u64, found: &mut Vec<FoundProduct>) {
        let left = &self.left[index];
        for (list, partners) in self.partners(primer) {
            let open: Vec<PrimerCombination> = partners
                .iter()
                .map(|&partner| PrimerCombination::of(primer, partner))
                .filter(|&primers| !self.is_full(primers, max_products))
                .collect();
            if open.is_empty() {
                continue;
            }
            let sites = &self.right[list];
            for at in self.range_of_ends(left, primer, sites).filter(|&at| sites[at].start >= left.start) {
                found.extend(open.iter().map(|&primers| {
                    let strand = if primer == primers.first { Strand::Forward } else { Strand::Reverse };
                    FoundProduct { left: index, right: (list, at), end: sites[at].end, primers, strand }
                }));
            }
        }
    }

    /// Counts the products of the left site with the index `index`, without looking at each.
    fn count(&mut self, index: usize) {
        let mut made = std::mem::take(&mut self.made);
        let left = &self.left[index];
        for &primer in self.pairs.primers_of(left.pattern) {
            for (list, partners) in self.partners(primer) {
                let sites = &self.right[list];
                let range = self.range_of_ends(left, primer, sites);
                // A site that ends after this index starts after the left site.
                let sure = sites.partition_point(|site| site.end < left.start + self.longest_site);
                let sure = sure.clamp(range.start, range.end);
                let near = (range.start..sure).filter(|&at| sites[at].start >= left.start).count();
                let products = (near + range.end - sure) as u64;
                if products > 0 {
                    for &partner in partners.iter() {
                        *made.entry(PrimerCombination::of(primer, partner)).or_default() += products;
                    }
                }
            }
        }
        self.made = made;
    }

    /// Returns the lists of right sites with which a left site of `primer` makes products, each with the primers that
    /// the sites are sites of.
    fn partners(&self, primer: u32) -> Vec<(usize, Cow<'_, [u32]>)> {
        match self.pairs.pooling() {
            Pooling::Pairs => vec![(self.pairs.partner_pattern(primer), Cow::Owned(vec![primer ^ 1]))],
            Pooling::Pool => {
                let lists = self.filled.iter().copied();
                lists.map(|list| (list, Cow::Borrowed(self.pairs.primers_of(list)))).collect()
            }
        }
    }

    /// Returns the range of the right sites with which a left site makes a product if they do not start before it.
    fn range_of_ends(&self, left: &Site, primer: u32, sites: &VecDeque<Site>) -> Range<usize> {
        let lengths = self.pairs.lengths(primer);
        let max_length = self.circumference.min(*lengths.end());
        let from = sites.partition_point(|site| site.end < left.end.max(left.start + lengths.start()));
        let until = sites.partition_point(|site| site.end <= left.start + max_length);
        from..until.max(from)
    }

    /// Returns whether two primers have exceeded the maximum number of products in the record.
    fn is_full(&self, primers: PrimerCombination, max_products: u64) -> bool {
        !self.overflowed.is_empty() && self.made.get(&primers).is_some_and(|&made| made > max_products)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a join of one pair whose products have 2 to 5 residues, and whose primers have one.
    fn join(shape: RecordShape, max_products: u64) -> ProductJoin {
        let pairs = PrimerPairs::of_letters(&[["A", "C"]], 2..=5, Pooling::Pairs);
        let demand = ProductDemand::Rows { max: max_products };
        let mut join = ProductJoin::new(Arc::new(pairs), 1, shape, demand);
        for start in 0..9 {
            join.add(Site::of_residue(0, Strand::Forward, start));
            join.add(Site::of_residue(1, Strand::Reverse, start));
        }
        join
    }

    /// Returns a receiver that lists the start and end of each product.
    fn list(products: &mut Vec<(u64, u64)>) -> impl FnMut(&Product<'_>) -> io::Result<()> {
        |product| {
            products.push((product.left.start, product.right.end));
            Ok(())
        }
    }

    #[test]
    fn products_wait_until_all_of_their_start_are_known() {
        let (mut join, mut products) = (join(RecordShape::Linear, 100), Vec::new());
        for (known_to, expected) in [(4, 0), (5, 4), (6, 8)] {
            join.advance(known_to, &mut list(&mut products)).unwrap();
            assert_eq!(products.len(), expected, "{known_to}");
        }
        join.finish(9, &mut list(&mut products)).unwrap();
        let all = (0..9).flat_map(|start| (start + 2..=9.min(start + 5)).map(move |end| (start, end)));
        assert_eq!(products, all.collect::<Vec<_>>());
    }

    #[test]
    fn products_over_the_limit_are_left_out_and_reported() {
        let (mut join, mut products) = (join(RecordShape::Linear, 6), Vec::new());
        let overflowed = join.finish(9, &mut list(&mut products)).unwrap();
        assert_eq!((products.len(), overflowed), (6, vec![PrimerCombination { first: 0, second: 1 }]));
        assert_eq!(join.finish(0, &mut list(&mut products)).unwrap(), [], "the next record");
    }

    #[test]
    fn products_of_a_circle_start_in_it_and_are_not_longer() {
        // The extension is the length of the longest product and of a match.
        for (length, around) in [(9, 4), (13, 7)] {
            let (mut join, mut products) = (join(RecordShape::Circular, 100), Vec::new());
            assert_eq!(join.extension(), 6);
            join.finish(length, &mut list(&mut products)).unwrap();
            assert!(products.iter().all(|&(start, end)| start < around && end - start <= around), "{products:?}");
            assert!(products.iter().any(|&(_, end)| end > around), "{products:?}");
        }
    }

    #[test]
    fn counts_are_the_numbers_of_products() {
        let mut random = fastrand::Rng::with_seed(7);
        for case in 0..400 {
            let pooling = if case % 2 == 0 { Pooling::Pairs } else { Pooling::Pool };
            let shape = if case % 4 < 2 { RecordShape::Linear } else { RecordShape::Circular };
            let min = random.u64(0..6);
            let lengths = min..=min + random.u64(0..9);
            let pairs = PrimerPairs::of_letters(&[["A", "C"], ["CC", "A"], ["G", "G"]], lengths, pooling);
            let (pairs, patterns) = (Arc::new(pairs), 4);
            let of = |demand| ProductJoin::new(pairs.clone(), 3, shape, demand);
            let (mut rows, mut counts) = (of(ProductDemand::Rows { max: u64::MAX }), of(ProductDemand::Counts));
            let mut expected = HashMap::new();
            for _record in 0..2 {
                let mut next = |product: &Product<'_>| {
                    *expected.entry(product.primers).or_default() += 1;
                    Ok(())
                };
                for end in 3..40 {
                    let strand = if random.bool() { Strand::Forward } else { Strand::Reverse };
                    let mut site = Site::of_residue(random.usize(0..patterns), strand, end - random.u64(1..4));
                    site.end = end;
                    rows.add(site.clone());
                    counts.add(site);
                    if random.u8(0..4) == 0 {
                        rows.advance(end, &mut next).unwrap();
                        counts.advance(end, &mut |_| unreachable!("products are counted")).unwrap();
                    }
                }
                rows.finish(40, &mut next).unwrap();
                counts.finish(40, &mut |_| unreachable!("products are counted")).unwrap();
            }
            assert_eq!(counts.take_counts(), expected, "case {case}");
            assert!(counts.take_counts().is_empty());
        }
    }
}
