//! Buckets of points, and their sums.

use super::{
    Point, Scalar,
    batch::{BatchAdder, InPlace, Job, Operands},
    digits::Windows,
};
use crate::field::Coordinate;
use core::ops::Range;

/// A term of a sum: the number of a point, and its scalar.
pub struct Term<'a> {
    pub point: u32,
    pub scalar: &'a Scalar,
}

/// A point in a bucket: its number, and whether it is negated.
#[derive(Debug, Clone, Copy)]
pub struct Entry(u32);

impl Entry {
    pub fn new(point: u32, negative: bool) -> Self {
        Self(point << 1 | u32::from(negative))
    }
}

/// The entries of buckets as operands, numbered by their position.
struct Entries<'a, F> {
    entries: &'a [Entry],
    points: &'a [Point<F>],
}

impl<F> Operands<F> for Entries<'_, F> {
    #[inline(always)]
    fn get<'a>(&'a self, _: &'a [Point<F>], number: u32) -> (&'a Point<F>, bool) {
        let Entry(entry) = self.entries[number as usize];
        (&self.points[(entry >> 1) as usize], entry & 1 == 1)
    }
}

/// Buckets that lie one after another: bucket b holds `entries[starts[b]..starts[b + 1]]`.
pub struct Buckets {
    pub starts: Vec<u32>,
    pub entries: Vec<Entry>,
}

impl Buckets {
    /// Sorts the terms into the buckets of a group of windows, by the magnitudes of their digits.
    pub fn sort(windows: &Windows, group: Range<usize>, terms: &[Term]) -> Self {
        let (count, per_window) = (group.len() * windows.buckets(), windows.buckets());
        let each = |act: &mut dyn FnMut(usize, Entry)| {
            for Term { point, scalar } in terms {
                let digits = windows.digits(scalar).skip(group.start).take(group.len());
                for (window, digit) in digits.enumerate().filter(|(_, digit)| *digit != 0) {
                    let bucket = window * per_window + digit.unsigned_abs() as usize - 1;
                    act(bucket, Entry::new(*point, digit < 0));
                }
            }
        };
        // A counting sort: counts sizes, then computes starts, then places the entries.
        let mut starts = vec![0; count + 1];
        each(&mut |bucket, _| starts[bucket + 1] += 1);
        for bucket in 0..count {
            starts[bucket + 1] += starts[bucket];
        }
        let mut next = starts.clone();
        let mut entries = vec![Entry(0); starts[count] as usize];
        each(&mut |bucket, entry| {
            entries[next[bucket] as usize] = entry;
            next[bucket] += 1;
        });
        Self { starts, entries }
    }

    /// Returns the sum of each bucket. The buckets' entries are numbers of `points`.
    ///
    /// Adds neighbours until one entry remains. Each level handles all buckets, in as few batches as possible.
    pub fn add_up<F: Coordinate>(&self, adder: &mut BatchAdder<F>, points: &[Point<F>]) -> Vec<Point<F>> {
        let mut jobs = Vec::new();
        let mut places: Vec<Range<u32>> = Vec::with_capacity(self.starts.len() - 1);
        let mut out = 0;
        for bounds in self.starts.windows(2) {
            let first = out;
            out = halve(&mut jobs, bounds[0]..bounds[1], first);
            places.push(first..out);
        }
        let mut slots = vec![Point::INFINITY; out as usize];
        adder.run(&mut slots, &jobs, &Entries { entries: &self.entries, points });

        // Later levels work in place: sums move to the front of their bucket, where no later job reads.
        let mut open: Vec<Range<u32>> = places.iter().filter(|place| place.len() > 1).cloned().collect();
        while !open.is_empty() {
            jobs.clear();
            for place in &mut open {
                place.end = halve(&mut jobs, place.clone(), place.start);
            }
            adder.run(&mut slots, &jobs, &InPlace);
            open.retain(|place| place.len() > 1);
        }
        let sum =
            |place: &Range<u32>| if place.is_empty() { Point::INFINITY } else { slots[place.start as usize] };
        places.iter().map(sum).collect()
    }
}

/// Appends jobs that add neighbours and write the results from `out` on. Returns the end of the results.
fn halve(jobs: &mut Vec<Job>, mut operands: Range<u32>, mut out: u32) -> u32 {
    while let Some(left) = operands.next() {
        jobs.push(Job { left, right: operands.next(), out });
        out += 1;
    }
    out
}
