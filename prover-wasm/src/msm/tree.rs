//! Combines the sums of the buckets into the sum of all terms.
//!
//! Bucket b = 0, 1, .. of a window holds the points with digit b + 1. A window is thus worth S + T, where S is the sum
//! of all buckets B_b, and T the sum of all b B_b. Pairs B'_j = B_2j + B_(2j+1) give T = 2 T' + (the sum of B_b with
//! odd b), and the same S. A window of 2^n buckets is therefore a tree of n levels, and
//!
//!   T = sum over levels l of 2^l O_l,   O_l = the sum of the entries of level l with odd index,   S = the root.
//!
//! The additions of the tree and of the O_l are independent, so batches do them at the affine price. The usual running
//! sums are chains of projective additions.

use super::{
    Point,
    batch::{BatchAdder, InPlace, Job},
    buckets::{Buckets, Entry},
    digits::Windows,
};
use crate::field::Coordinate;
use ark_ec::short_weierstrass::Projective;
use ark_ff::{AdditiveGroup, Zero};

/// Returns the sum over windows w and buckets b of 2^(bits w) (b + 1) B; `sums` has the buckets window by window.
pub fn weighted_sum<F: Coordinate>(
    adder: &mut BatchAdder<F>,
    windows: &Windows,
    sums: Vec<Point<F>>,
) -> Projective<F::Curve> {
    let levels = windows.bits - 1;
    let mut tree = sums;
    // The start of each level; in level l a window has 2^(levels - l) entries.
    let mut begins = vec![0];
    for level in 0..levels {
        let (begin, end) = (begins[level], tree.len() as u32);
        let jobs: Vec<Job> = (0..(end - begin) / 2)
            .map(|i| Job { left: begin + 2 * i, right: Some(begin + 2 * i + 1), out: end + i })
            .collect();
        tree.resize(tree.len() + jobs.len(), Point::INFINITY);
        adder.run(&mut tree, &jobs, &InPlace);
        begins.push(end);
    }

    let mut odd = Buckets { starts: vec![0], entries: Vec::new() };
    for window in 0..windows.count {
        for (level, begin) in begins[..levels].iter().enumerate() {
            let size = windows.buckets() >> level;
            let first = begin + (window * size) as u32;
            odd.entries.extend((first + 1..first + size as u32).step_by(2).map(|at| Entry::new(at, false)));
            odd.starts.push(odd.entries.len() as u32);
        }
    }
    let odd = odd.add_up(adder, &tree);

    // Applies Horner's rule, from the highest window on.
    let mut total = Projective::zero();
    for window in (0..windows.count).rev() {
        total.double_in_place();
        for level in (0..levels).rev() {
            total.double_in_place();
            total += odd[window * levels + level].to_ark();
        }
        total += tree[begins[levels] as usize + window].to_ark();
    }
    total
}
