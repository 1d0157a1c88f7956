//! The scalar field of BLS12-381 in Montgomery form with radix R: products, fifth powers, and inner products with
//! constants. Each uses one interleaved reduction (fifth powers use three). No code here branches on a value.
//!
//! There are two sets of kernels with one interface. `narrow` runs on any WebAssembly engine. `wide` (the feature of
//! that name) needs the wide-arithmetic instructions, which multiply 64 by 64 bits, and is about 1.9 times as fast
//! there. Both build natively, so both are tested on every machine.
//!
//! Both rely on r = 1 modulo 2^32, which makes -1/r modulo a power of two simple.
//!
//! Values are rarely reduced below r. Both sets use two names for the ranges of values: [`fifth`] accepts a *factor*,
//! and [`dot`] accepts a *term*. [`dot`] returns a value that is both. [`fifth`] and [`mul`] return a term. [`add`]
//! accepts a term and a value that is both, and returns a factor. The head of each file defines the ranges.

#[cfg(not(feature = "wide"))]
mod narrow;
#[cfg(feature = "wide")]
mod wide;

#[cfg(not(feature = "wide"))]
pub use narrow::*;
#[cfg(feature = "wide")]
pub use wide::*;

/// The constants of an inner product: (sum of x_n w_n + addend) / R. In Montgomery form, the weights therefore include
/// a factor R, and the addend a factor R^2.
pub struct Row<const N: usize> {
    pub weights: [Limbs; N],
    pub addend: Limbs,
}

/// r in 64-bit words, least significant first (draft-irtf-cfrg-pairing-friendly-curves, section 4.2.1).
const R_WORDS: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// Returns the 256 bits of 32 big-endian bytes as 64-bit words, least significant first.
fn words(bytes: &[u8; 32]) -> [u64; 4] {
    core::array::from_fn(|i| u64::from_be_bytes(bytes[24 - 8 * i..32 - 8 * i].try_into().unwrap()))
}
