//! Splits scalars into signed digits.

use super::Scalar;

/// Scalars are below r, hence below 2 to this power.
const SCALAR_BITS: usize = 255;

/// The division of scalars into digits: `count` windows of `bits` bits.
#[derive(Debug, Clone, Copy)]
pub struct Windows {
    pub bits: usize,
    pub count: usize,
}

impl Windows {
    /// Covers one bit more than scalars have, so that the highest window receives a carry and produces none.
    pub fn of_bits(bits: usize) -> Self {
        Self { bits, count: (SCALAR_BITS + 1).div_ceil(bits) }
    }

    /// Returns the windows with the fewest additions. Each window costs one per term, and two per bucket.
    pub fn for_terms(terms: usize) -> Self {
        let additions = |windows: &Self| windows.count * (terms + 2 * windows.buckets());
        (2..=16).map(Self::of_bits).min_by_key(additions).unwrap_or_else(|| Self::of_bits(2))
    }

    /// Returns the number of buckets of a window: one for each nonzero magnitude of a digit.
    pub fn buckets(&self) -> usize {
        1 << (self.bits - 1)
    }

    /// Returns the digits of a scalar, lowest window first, each above -2^(bits - 1) and at most 2^(bits - 1).
    pub fn digits(&self, scalar: &Scalar) -> impl Iterator<Item = i32> {
        let (words, bits) = (scalar.0, self.bits);
        let mut carry = 0;
        (0..self.count).map(move |window| {
            let (word, shift) = (window * bits / 64, window * bits % 64);
            let at = |word: usize| words.get(word).copied().unwrap_or(0);
            let mut piece = at(word) >> shift;
            if shift + bits > 64 {
                piece |= at(word + 1) << (64 - shift);
            }
            let digit = (piece & ((1 << bits) - 1)) as i32 + carry;
            carry = i32::from(digit > 1 << (bits - 1));
            digit - (carry << bits)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ark_bls12_381::Fr;
    use ark_ff::{AdditiveGroup, Field, PrimeField, UniformRand};

    #[test]
    fn digits_make_up_the_scalar_and_stay_in_range() {
        let rng = &mut ark_std::test_rng();
        let mut scalars: Vec<Fr> = vec![Fr::ZERO, Fr::ONE, -Fr::ONE, Fr::from(u64::MAX)];
        scalars.extend((0..255).map(|bit| Fr::from(2u64).pow([bit])));
        scalars.extend((0..255).map(|bit| Fr::from(2u64).pow([bit]) - Fr::ONE));
        scalars.extend((0..200).map(|_| Fr::rand(rng)));
        for bits in 2..=16 {
            let windows = Windows::of_bits(bits);
            let base = Fr::from(1u64 << bits);
            for scalar in &scalars {
                let digits: Vec<i32> = windows.digits(&scalar.into_bigint()).collect();
                assert_eq!(digits.len(), windows.count);
                let most = windows.buckets() as i32;
                assert!(digits.iter().all(|digit| -most < *digit && *digit <= most), "{bits} bits");
                let sum = digits.iter().rev().fold(Fr::ZERO, |sum, digit| sum * base + Fr::from(*digit));
                assert_eq!(sum, *scalar, "{bits} bits");
            }
        }
    }

    #[test]
    fn the_highest_window_gives_no_carry_for_any_255_bits() {
        let mut most = Scalar::zero();
        (0..255).for_each(|bit| most |= Scalar::one() << bit);
        for bits in 2..=16 {
            let digits: Vec<i64> = Windows::of_bits(bits).digits(&most).map(i64::from).collect();
            // For 2^255 - 1, the lowest digit is -1, and one window holds 2^255.
            assert_eq!(digits[0], -1);
            assert_eq!(digits[255 / bits], 1 << (255 % bits));
            assert!(digits.iter().enumerate().all(|(i, digit)| *digit == 0 || i == 0 || i == 255 / bits));
        }
    }
}
