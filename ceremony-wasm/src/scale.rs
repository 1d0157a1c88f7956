//! Multiplies many points of G1 by one scalar, which is nearly all the work of a contribution. All points take the same
//! doublings and additions. These are therefore affine and share inversions, at half the price of projective ones.
//!
//! The curve's endomorphism halves the scalar (Gallant, Lambert, Vanstone, CRYPTO 2001): phi(x, y) = (beta x, y)
//! multiplies by -z^2, with z the curve's parameter. k = k1 + k2 z^2 gives k P = k1 P - k2 phi(P), with k1, k2 below
//! 2^128. Both halves are in non-adjacent form of width 4: about one of five digits is nonzero, and odd.
//!
//! The code does not run in constant time, like the sums of a proof: an attacker who can time a contributor's machine
//! that precisely can also read its memory.

use crate::{
    field::{Coordinate, Fq},
    msm::{
        G1, Point,
        batch::{BatchAdder, Job, Operands},
    },
};
use ark_bls12_381::{Fq as ArkFq, Fr, G1Affine};
use ark_ec::AffineRepr;
use ark_ff::{Field, PrimeField};
use zeroize::Zeroize;

/// z^2 with z = -0xd201000000010000, the parameter of BLS12-381.
const Z_SQUARED: u128 = 0xd201_0000_0001_0000 * 0xd201_0000_0001_0000;
/// Digits are odd and below 2^(WIDTH - 1) in magnitude.
const WIDTH: u32 = 4;
/// The number of multiples 1, 3, 5, 7 of a point.
const ODD_MULTIPLES: usize = 1 << (WIDTH - 2);
/// The number of points of a batch: enough to share inversions, few enough to stay in the cache.
const AT_ONCE: usize = 1024;
/// The bit of an operand's number that requests its negation.
const NEGATED: u32 = 1 << 31;

/// A multiplier by one scalar.
pub struct Scaler {
    /// The steps from the highest digit on. Each digit stands for a doubling, followed by an addition of its operand.
    digits: Vec<[i8; 2]>,
    beta: Fq,
    adder: BatchAdder<Fq>,
}

impl Drop for Scaler {
    fn drop(&mut self) {
        self.digits.iter_mut().for_each(|pair| pair.zeroize());
    }
}

impl Scaler {
    pub fn new(scalar: &Fr) -> Self {
        let [low, high] = halves(scalar);
        let (mut low, mut high) = (signed_digits(low), signed_digits(high));
        let digits = low.iter().zip(&high).rev().map(|(k1, k2)| [*k1, -k2]).collect();
        low.zeroize();
        high.zeroize();
        Self { digits, beta: Fq::from_ark(&beta()), adder: BatchAdder::default() }
    }

    /// Multiplies each point by the scalar.
    pub fn scale(&mut self, points: &[G1]) -> Vec<G1> {
        points.chunks(AT_ONCE).flat_map(|chunk| self.scale_chunk(chunk)).collect()
    }

    /// The slots hold the sums so far, then the multiples 1, 3, 5, 7 of each point, then their images under phi.
    fn scale_chunk(&mut self, points: &[G1]) -> Vec<G1> {
        let n = points.len();
        let mut slots = vec![Point::INFINITY; n];
        slots.extend_from_slice(points);
        slots.resize((1 + 2 * ODD_MULTIPLES) * n, Point::INFINITY);
        let at = |block: usize, i: usize| (block * n + i) as u32;

        // The doubled points use the slots of the later sums.
        self.add(&mut slots, n, |i| [at(1, i), at(1, i), at(0, i)]);
        for multiple in 1..ODD_MULTIPLES {
            self.add(&mut slots, n, |i| [at(multiple, i), at(0, i), at(multiple + 1, i)]);
        }
        for slot in 0..ODD_MULTIPLES * n {
            let Point { x, y } = slots[n + slot];
            let image = Point { x: x.times(&self.beta), y };
            slots[(1 + ODD_MULTIPLES) * n + slot] = image;
        }
        slots[..n].fill(Point::INFINITY);

        for k in 0..self.digits.len() {
            self.add(&mut slots, n, |i| [at(0, i), at(0, i), at(0, i)]);
            for (half, digit) in self.digits[k].into_iter().enumerate().filter(|(_, digit)| *digit != 0) {
                let block = 1 + half * ODD_MULTIPLES + usize::from(digit.unsigned_abs()) / 2;
                let sign = if digit < 0 { NEGATED } else { 0 };
                self.add(&mut slots, n, |i| [at(0, i), at(block, i) | sign, at(0, i)]);
            }
        }
        slots.truncate(n);
        slots
    }

    /// Adds once for each point; `numbers` returns `[left, right, out]`.
    fn add(&mut self, slots: &mut [G1], n: usize, numbers: impl Fn(usize) -> [u32; 3]) {
        let jobs: Vec<Job> = (0..n)
            .map(|i| {
                let [left, right, out] = numbers(i);
                Job { left, right: Some(right), out }
            })
            .collect();
        self.adder.run(slots, &jobs, &Signed);
    }
}

/// Operands that are numbers of slots, possibly with [`NEGATED`].
struct Signed;

impl<F> Operands<F> for Signed {
    #[inline(always)]
    fn get<'a>(&'a self, slots: &'a [Point<F>], number: u32) -> (&'a Point<F>, bool) {
        (&slots[(number & !NEGATED) as usize], number & NEGATED != 0)
    }
}

/// Returns k1 and k2 with k = k1 + k2 z^2.
fn halves(scalar: &Fr) -> [u128; 2] {
    let mut rest = scalar.into_bigint();
    // Schoolbook division, bit by bit, runs once for each contribution.
    let (mut quotient, mut remainder) = (0u128, 0u128);
    for bit in (0..256).rev() {
        let overflow = remainder >> 127 == 1;
        remainder = remainder << 1 | u128::from(rest.0[bit / 64] >> (bit % 64) & 1);
        quotient <<= 1;
        if overflow || remainder >= Z_SQUARED {
            remainder = remainder.wrapping_sub(Z_SQUARED);
            quotient |= 1;
        }
    }
    rest.0.zeroize();
    [remainder, quotient]
}

/// Returns the non-adjacent form of width 4, lowest digit first. The length is the same for all numbers.
fn signed_digits(number: u128) -> [i8; 129] {
    let mut digits = [0; 129];
    let (mut rest, mut overflow) = (number, false);
    for digit in &mut digits {
        if rest & 1 == 1 {
            let window = (rest & ((1 << WIDTH) - 1)) as i8;
            let negative = window >= 1 << (WIDTH - 1);
            *digit = if negative { window - (1 << WIDTH) } else { window };
            (rest, overflow) = if negative {
                rest.overflowing_add(u128::from(digit.unsigned_abs()))
            } else {
                (rest - u128::from(digit.unsigned_abs()), false)
            };
        }
        rest = rest >> 1 | u128::from(overflow) << 127;
        overflow = false;
    }
    rest.zeroize();
    digits
}

/// Returns the cube root of one for which phi multiplies by -z^2.
fn beta() -> ArkFq {
    let generator = G1Affine::generator();
    let image = generator.mul_bigint([Z_SQUARED as u64, (Z_SQUARED >> 64) as u64]);
    let image: G1Affine = image.into();
    // -z^2 P = (beta x, y), so z^2 P = (beta x, -y).
    image.x * generator.x.inverse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::G1Projective;
    use ark_ec::CurveGroup;
    use ark_ff::{AdditiveGroup, BigInt, Field, UniformRand};

    fn scalars() -> Vec<Fr> {
        let rng = &mut ark_std::test_rng();
        let z2 = Fr::from(Z_SQUARED);
        let mut scalars = vec![Fr::ONE, -Fr::ONE, Fr::from(2u64), z2, z2 - Fr::ONE, -z2, Fr::ZERO];
        scalars.extend((0..255).step_by(17).map(|bit| Fr::from(2u64).pow([bit]) - Fr::ONE));
        scalars.extend((0..10).map(|_| Fr::rand(rng)));
        scalars
    }

    #[test]
    fn both_halves_make_up_the_scalar_and_are_below_2_to_128() {
        for scalar in scalars() {
            let [low, high] = halves(&scalar);
            assert_eq!(Fr::from(low) + Fr::from(high) * Fr::from(Z_SQUARED), scalar);
        }
    }

    #[test]
    fn digits_make_up_the_number_and_are_odd_or_zero() {
        for number in [0, 1, 7, 8, 15, u128::MAX, u128::MAX - 7, 1 << 127, Z_SQUARED, 0x5555 << 100] {
            let digits = signed_digits(number);
            assert!(digits.iter().all(|digit| *digit == 0 || digit % 2 != 0 && digit.abs() < 8));
            let sum = digits.iter().rev().fold(Fr::ZERO, |sum, digit| sum.double() + Fr::from(*digit));
            assert_eq!(sum, Fr::from_bigint(BigInt([number as u64, (number >> 64) as u64, 0, 0])).unwrap());
        }
    }

    #[test]
    fn scaled_points_are_those_of_arkworks() {
        let rng = &mut ark_std::test_rng();
        let mut points: Vec<G1Affine> =
            (0..AT_ONCE + 3).map(|_| G1Projective::rand(rng).into_affine()).collect();
        points[1] = G1Affine::zero();
        points[2] = points[3];
        let ours: Vec<G1> = points.iter().map(|point| (*point).into()).collect();
        for scalar in scalars() {
            let scaled = Scaler::new(&scalar).scale(&ours);
            for i in [0, 1, 2, 3, 4, AT_ONCE - 1, AT_ONCE, AT_ONCE + 2] {
                let expected = points[i].mul_bigint(scalar.into_bigint()).into_affine();
                assert_eq!(scaled[i].to_ark(), expected, "point {i} times {scalar}");
            }
        }
        assert!(Scaler::new(&Fr::ONE).scale(&[]).is_empty());
    }
}
