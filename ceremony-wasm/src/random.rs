//! Derives field elements and points from a seed as ffjavascript does (`chacha.js`, `wasm_field1.js`, `wasm_curve.js`),
//! so that snarkjs derives the same ones when it recomputes a beacon or a transcript hash.

use crate::points::Curve;
use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, short_weierstrass::Affine};
use ark_ff::{BigInt, PrimeField};
use zeroize::Zeroize;

/// ChaCha with 20 rounds (RFC 8439), a nonce of zero, and a 64-bit counter of blocks that starts at 0.
pub struct ChaCha {
    state: [u32; 16],
    block: [u32; 16],
    used: usize,
}

impl Drop for ChaCha {
    fn drop(&mut self) {
        self.state.zeroize();
        self.block.zeroize();
    }
}

impl ChaCha {
    /// Reads the seed's 32 bytes as eight big-endian words.
    pub fn new(seed: &[u8; 32]) -> Self {
        let mut state = [0; 16];
        state[..4].copy_from_slice(&[0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574]);
        for (word, bytes) in state[4..12].iter_mut().zip(seed.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
        }
        Self { state, block: [0; 16], used: 16 }
    }

    fn next_u32(&mut self) -> u32 {
        if self.used == 16 {
            self.next_block();
        }
        self.used += 1;
        self.block[self.used - 1]
    }

    /// Returns two words as one; the higher half comes first.
    fn next_u64(&mut self) -> u64 {
        let high = u64::from(self.next_u32());
        high << 32 | u64::from(self.next_u32())
    }

    fn next_bool(&mut self) -> bool {
        self.next_u32() & 1 == 1
    }

    fn next_block(&mut self) {
        self.block = self.state;
        for _ in 0..10 {
            for column in 0..4 {
                self.quarter_round([0, 4, 8, 12].map(|row| row + column));
            }
            for diagonal in 0..4 {
                self.quarter_round([0, 1, 2, 3].map(|row| 4 * row + (row + diagonal) % 4));
            }
        }
        for (word, state) in self.block.iter_mut().zip(&self.state) {
            *word = word.wrapping_add(*state);
        }
        self.used = 0;
        let (low, overflow) = self.state[12].overflowing_add(1);
        self.state[12] = low;
        self.state[13] = self.state[13].wrapping_add(u32::from(overflow));
    }

    fn quarter_round(&mut self, [a, b, c, d]: [usize; 4]) {
        let x = &mut self.block;
        for (sum, term, mixed, bits) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            x[sum] = x[sum].wrapping_add(x[term]);
            x[mixed] = (x[mixed] ^ x[sum]).rotate_left(bits);
        }
    }

    /// Returns uniform words below the modulus: draws as many bits as it has until the value is below it.
    fn below<F: PrimeField<BigInt = BigInt<N>>, const N: usize>(&mut self) -> BigInt<N> {
        loop {
            let mut words = [0; N];
            for word in &mut words {
                *word = self.next_u64();
            }
            words[N - 1] &= u64::MAX >> (64 * N as u32 - F::MODULUS_BIT_SIZE);
            if BigInt(words) < F::MODULUS {
                return BigInt(words);
            }
        }
    }

    /// Returns a scalar; the words are its Montgomery form.
    pub fn scalar(&mut self) -> Fr {
        Fr::new_unchecked(self.below::<Fr, 4>())
    }

    /// Returns a point of order r (or infinity, with probability 1 / r) of unknown discrete logarithm.
    pub fn g1(&mut self) -> G1Affine {
        self.point(Self::coordinate)
    }

    /// Works like [`ChaCha::g1`], for G2.
    pub fn g2(&mut self) -> G2Affine {
        self.point(|rng| Fq2::new(rng.coordinate(), rng.coordinate()))
    }

    fn coordinate(&mut self) -> Fq {
        Fq::new_unchecked(self.below::<Fq, 6>())
    }

    /// Draws x until one lies on the curve, and a bit that selects the sign of y; returns the point times the cofactor.
    fn point<P: Curve>(&mut self, x: impl Fn(&mut Self) -> P::BaseField) -> Affine<P> {
        loop {
            let x = x(self);
            let larger = self.next_bool();
            // "Negative" in ffjavascript means "larger" in arkworks: y > -y, compared by c1 first.
            let Some((smaller_y, larger_y)) = Affine::<P>::get_ys_from_x_unchecked(x) else { continue };
            return Affine::<P>::new_unchecked(x, if larger { larger_y } else { smaller_y })
                .mul_by_cofactor();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_block_is_that_of_rfc_8439() {
        // Appendix A.1, test vector 1: key and nonce zero, counter 0.
        let mut rng = ChaCha::new(&[0; 32]);
        let words: Vec<u32> = (0..4).map(|_| rng.next_u32()).collect();
        assert_eq!(words, [0xade0_b876, 0x903d_f1a0, 0xe56a_5d40, 0x28bd_8653]);
    }

    #[test]
    fn points_are_of_order_r_and_differ() {
        let mut rng = ChaCha::new(&[7; 32]);
        let (p, q, s) = (rng.g1(), rng.g1(), rng.g2());
        assert_ne!(p, q);
        assert!(p.is_in_correct_subgroup_assuming_on_curve() && !p.is_zero());
        assert!(s.is_in_correct_subgroup_assuming_on_curve() && !s.is_zero());
    }

    #[test]
    fn scalars_are_drawn_again_when_they_are_not_below_r() {
        let mut rng = ChaCha::new(&[1; 32]);
        assert!((0..100).all(|_| rng.scalar().into_bigint() < Fr::MODULUS));
    }
}
