//! The scalar field of BLS12-381 in Montgomery form with a radix R: product, fifth power, and inner product with
//! constants, with one interleaved reduction each (the fifth power three). Nothing here branches on a value.
//!
//! Two sets of kernels with the same interface: `narrow`, for any WebAssembly, and `wide`, the feature of that name, for
//! engines with the wide-arithmetic instructions (64 by 64 bit products), there about 1.9 times as fast. Natively both
//! build, so that both are tested everywhere.
//!
//! r = 1 modulo 2^32 is what both use: modulo a power of two -1/r is then simple.
//!
//! Values are rarely below r. What the kernels pass on has the same two names in both: a *factor* is what [`fifth`]
//! takes, a *term* what [`dot`] takes. [`dot`] returns what is both, [`fifth`] and [`mul`] a term, and [`add`], of a term
//! and what is both, a factor. What that means in limbs stands at the head of each.

#[cfg(not(feature = "wide"))]
mod narrow;
#[cfg(feature = "wide")]
mod wide;

#[cfg(not(feature = "wide"))]
pub use narrow::*;
#[cfg(feature = "wide")]
pub use wide::*;

/// Inner product with constants, and a constant added to it: (sum of x_n w_n + addend) / R. In Montgomery form the weights
/// thus carry R, the addend R^2.
pub struct Row<const N: usize> {
    pub weights: [Limbs; N],
    pub addend: Limbs,
}

/// r in 64-bit words, least significant first (draft-irtf-cfrg-pairing-friendly-curves, section 4.2.1).
const R_WORDS: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// 256 bits as 64-bit words, least significant first, from 32 big-endian bytes.
fn words(bytes: &[u8; 32]) -> [u64; 4] {
    core::array::from_fn(|i| u64::from_be_bytes(bytes[24 - 8 * i..32 - 8 * i].try_into().unwrap()))
}
