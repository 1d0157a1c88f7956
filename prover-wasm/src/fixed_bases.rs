//! Sums of multiples of the points that a key fixes for its public inputs. Their multiples are computed once per key.
//!
//! A scalar is split into four words of 64 bits, and each base is stored with its multiples by 2^64, 2^128 and 2^192,
//! so one chain of 64 doublings serves all words of all scalars. Words are in non-adjacent form of width 6: on average
//! one of seven digits is nonzero, and it is odd (Möller, "Algorithms for Multi-exponentiation", SAC 2001). Six scalars
//! take about 64 doublings and 220 additions; bit by bit, one after another, they would take 1,530 and 760.
//!
//! The code does not run in constant time, because its scalars are public.

use ark_bls12_381::{Fr, G1Affine, G1Projective};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{AdditiveGroup, BigInt, BigInteger, PrimeField};

const WORD_BITS: usize = 64;
/// The number of words in a scalar.
const WORDS: usize = Fr::MODULUS_BIT_SIZE.div_ceil(WORD_BITS as u32) as usize;
/// Digits are odd and below 2^(WIDTH - 1) in magnitude.
const WIDTH: usize = 6;
/// The number of multiples 1, 3, 5, ... of a point.
const ODD_MULTIPLES: usize = 1 << (WIDTH - 2);

/// Points with their precomputed multiples: 6 kB each.
pub struct FixedBases {
    /// For each base and each power of 2^64: the odd multiples of their product.
    multiples: Vec<G1Affine>,
}

impl FixedBases {
    pub fn new(bases: &[G1Affine]) -> Self {
        let mut multiples = Vec::with_capacity(bases.len() * WORDS * ODD_MULTIPLES);
        for base in bases {
            let mut point = base.into_group();
            for _ in 0..WORDS {
                let twice = point.double();
                multiples.extend(
                    std::iter::successors(Some(point), |multiple| Some(*multiple + twice))
                        .take(ODD_MULTIPLES),
                );
                (0..WORD_BITS).for_each(|_| {
                    point.double_in_place();
                });
            }
        }
        Self { multiples: G1Projective::normalize_batch(&multiples) }
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.multiples.len() / (WORDS * ODD_MULTIPLES)
    }

    /// Returns the sum of each base times its scalar. Ignores the surplus of the longer list.
    pub fn sum(&self, scalars: &[Fr]) -> G1Projective {
        let words = scalars.iter().flat_map(|scalar| scalar.into_bigint().0);
        let terms: Vec<(Vec<i64>, &[G1Affine])> =
            words.map(digits).zip(self.multiples.chunks_exact(ODD_MULTIPLES)).collect();
        let mut sum = G1Projective::ZERO;
        for place in (0..=WORD_BITS).rev() {
            sum.double_in_place();
            for (digits, multiples) in &terms {
                match digits.get(place).copied().unwrap_or(0) {
                    0 => {}
                    digit if digit > 0 => sum += multiples[digit as usize / 2],
                    digit => sum -= multiples[digit.unsigned_abs() as usize / 2],
                }
            }
        }
        sum
    }
}

/// Returns a word in non-adjacent form, lowest digit first. It has at most one digit more than bits.
fn digits(word: u64) -> Vec<i64> {
    // The number has two words, because the last digit may carry out of the first.
    BigInt([word, 0]).find_wnaf(WIDTH).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_ff::{Field, UniformRand};

    /// Returns scalars whose words carry, are full, are empty, or are one.
    fn extremes() -> Vec<Fr> {
        let mut scalars = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, -Fr::from(2u64)];
        scalars.extend((0..255).map(|bit| Fr::from(2u64).pow([bit]) - Fr::ONE));
        scalars.extend([u64::MAX, u64::MAX - 31, 1 << 63, 31, 32, 33].map(Fr::from));
        scalars
    }

    fn expected(bases: &[G1Affine], scalars: &[Fr]) -> G1Projective {
        bases.iter().zip(scalars).map(|(base, scalar)| base.mul_bigint(scalar.into_bigint())).sum()
    }

    #[test]
    fn digits_make_up_the_word_and_are_odd_and_small() {
        for word in [0, 1, 31, 32, 33, u64::MAX, u64::MAX - 31, 1 << 63, 0x5555_5555_5555_5555] {
            let digits = digits(word);
            assert!(digits.len() <= WORD_BITS + 1);
            assert!(
                digits.iter().all(|digit| *digit == 0 || digit % 2 != 0 && digit.abs() < 1 << (WIDTH - 1))
            );
            let sum = digits.iter().rev().fold(0i128, |sum, digit| 2 * sum + i128::from(*digit));
            assert_eq!(sum, i128::from(word));
        }
    }

    #[test]
    fn sums_are_those_of_arkworks() {
        let rng = &mut ark_std::test_rng();
        let mut bases: Vec<G1Affine> = (0..6).map(|_| G1Projective::rand(rng).into_affine()).collect();
        bases[3] = bases[2]; // equal and opposite points: additions that double or give infinity
        bases[4] = -bases[2];
        bases[5] = G1Affine::zero();
        let fixed = FixedBases::new(&bases);
        assert_eq!(fixed.count(), bases.len());
        for scalar in extremes() {
            let scalars = [scalar; 6];
            assert_eq!(fixed.sum(&scalars), expected(&bases, &scalars), "{scalar}");
            assert_eq!(fixed.sum(&scalars[..1]), expected(&bases, &scalars[..1]), "{scalar}");
        }
        for _ in 0..50 {
            let scalars: Vec<Fr> = (0..6).map(|_| Fr::rand(rng)).collect();
            assert_eq!(fixed.sum(&scalars), expected(&bases, &scalars));
        }
        assert_eq!(FixedBases::new(&[]).sum(&[]), G1Projective::ZERO);
    }
}
