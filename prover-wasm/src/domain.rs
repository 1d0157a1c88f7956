//! Evaluation domains of the scalar field, with ffjavascript's roots of unity. arkworks uses the generator 7,
//! ffjavascript 5, the smallest non-residue. A key works only with the roots that it was generated with.

use ark_bls12_381::Fr;
use ark_ff::{BigInteger, Field, PrimeField, Zero};

/// r - 1 = 2^32 T with T odd.
const TWO_ADICITY: u32 = 32;
/// The smallest quadratic non-residue (ffjavascript, `fft_multi.js` and `f1field_native.js`: `nqr`).
const NON_RESIDUE: u64 = 5;

/// Returns a root of unity of order exactly 2^log, for 0 <= log <= 32.
pub fn root_of_unity(log: u32) -> Fr {
    let mut exponent = Fr::MODULUS;
    exponent >>= TWO_ADICITY; // also drops the 1 of r = 2^32 T + 1
    let mut root = Fr::from(NON_RESIDUE).pow(exponent);
    for _ in log..TWO_ADICITY {
        root.square_in_place();
    }
    root
}

/// Replaces values on the domain of order n = `values.len()` (a power of two) by the values of the same polynomial on
/// the odd coset: w2 times the domain, where w2 is the root of order 2n.
pub fn to_odd_coset(values: &mut [Fr]) {
    let n = values.len();
    if n == 0 {
        return;
    }
    let log = n.trailing_zeros();
    let root = root_of_unity(log);
    let shift = root_of_unity(log + 1);
    let (Some(inverse_root), Some(inverse_n)) = (root.inverse(), Fr::from(n as u64).inverse()) else {
        return; // neither is ever zero
    };
    fft(values, inverse_root);
    let mut scale = inverse_n;
    for value in values.iter_mut() {
        *value *= scale;
        scale *= shift;
    }
    fft(values, root);
}

/// Transforms in place with radix 2, decimation in time; `root` has order `values.len()`.
pub fn fft(values: &mut [Fr], root: Fr) {
    let n = values.len();
    if n < 2 {
        return;
    }
    let unused_bits = usize::BITS - n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> unused_bits;
        if i < j {
            values.swap(i, j);
        }
    }
    let mut twiddles = Vec::with_capacity(n / 2);
    let mut power = Fr::ONE;
    for _ in 0..n / 2 {
        twiddles.push(power);
        power *= root;
    }
    let mut half = 1;
    while half < n {
        let stride = n / 2 / half;
        for block in values.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            for ((x, y), twiddle) in low.iter_mut().zip(high).zip(twiddles.iter().step_by(stride)) {
                let t = *y * twiddle;
                *y = *x - t;
                *x += t;
            }
        }
        half *= 2;
    }
}

/// Returns the Montgomery product of two internal representations, that is, x y / R.
pub fn montgomery_product(x: Fr, y: <Fr as PrimeField>::BigInt) -> Fr {
    if y.is_zero() {
        return Fr::zero();
    }
    x * Fr::new_unchecked(y)
}
