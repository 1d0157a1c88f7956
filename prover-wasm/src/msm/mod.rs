//! Sums of scalar multiples, the bulk of a proof: Pippenger's buckets over affine points.
//!
//! Scalars are written in signed digits of c bits (`digits`). In each window, points with equal digits go into one
//! bucket. Buckets are summed pairwise, one level at a time and many buckets at once: each addition needs a quotient,
//! and many quotients share one inversion (`batch`). An affine addition then costs five products and a square, about
//! half of a projective one. Trees of such additions weigh the buckets of all windows (`tree`). arkworks does the
//! remaining few hundred additions and doublings.
//!
//! The sums do not run in constant time: the scalars determine the additions. All provers known to us share this
//! property. A proof is computed on the machine of the owner of the secrets.

pub mod batch;
mod buckets;
mod digits;
mod point;
mod tree;

use crate::field::{Coordinate, Fq, Fq2};
use ark_bls12_381::Fr;
use ark_ec::short_weierstrass::Projective;
use ark_ff::{BigInteger, PrimeField};
use batch::BatchAdder;
use buckets::{Buckets, Term};
use digits::Windows;
pub use point::Point;

/// A scalar below r, as plain words.
pub type Scalar = <Fr as PrimeField>::BigInt;

/// A point of G1.
pub type G1 = Point<Fq>;
/// A point of G2.
pub type G2 = Point<Fq2>;

/// The maximum number of points in buckets at a time, which limits memory: about 7 MB for G1, 14 MB for G2.
const AT_ONCE: usize = 1 << 17;

/// Returns the sum of `scalars[i] * points[i]`. Ignores the surplus of the longer list.
pub fn msm<F: Coordinate>(points: &[Point<F>], scalars: &[Scalar]) -> Projective<F::Curve> {
    let terms: Vec<Term> = (0..)
        .zip(points.iter().zip(scalars))
        .filter(|(_, (point, scalar))| !point.is_infinity() && !scalar.is_zero())
        .map(|(point, (_, scalar))| Term { point, scalar })
        .collect();
    let windows = Windows::for_terms(terms.len());
    let mut adder = BatchAdder::default();
    let mut sums = Vec::with_capacity(windows.count * windows.buckets());
    let at_once = (AT_ONCE / terms.len().max(1)).max(1);
    for first in (0..windows.count).step_by(at_once) {
        let group = first..windows.count.min(first + at_once);
        sums.extend(Buckets::sort(&windows, group, &terms).add_up(&mut adder, points));
    }
    tree::weighted_sum(&mut adder, &windows, sums)
}
