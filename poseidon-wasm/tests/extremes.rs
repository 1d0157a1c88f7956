//! Claims about the field kernels: with every limb at its documented bound, they agree with schoolbook arithmetic.
//! Tests build with overflow checks, so a column that does not fit in 64 bits panics.

#![allow(clippy::needless_range_loop)] // the index of a limb is its weight

use limits::{LARGEST, LIMB_BITS, PRODUCT, RADIX_BITS, TERM, TOP, TWICE_R};
use poseidon_wasm::field::{
    Element, LIMBS, Limbs, Row, add, constant, dot, fifth, from_bytes, mul, to_bytes,
};

/// The bounds that the narrow kernels document.
#[cfg(not(feature = "wide"))]
mod limits {
    use super::{Element, Limbs};
    pub const LIMB_BITS: usize = 29;
    pub const RADIX_BITS: usize = 261;
    const MASK: u64 = (1 << LIMB_BITS) - 1;
    /// A settled element with every limb at its bound.
    pub const TOP: Element = [MASK, MASK, MASK, MASK, MASK, MASK, MASK, MASK, (1 << 24) - 1]; // 2^256 - 1
    /// A term and a product have the bounds of a settled element.
    pub const TERM: Element = TOP;
    pub const PRODUCT: Element = TOP;
    /// The highest limb of 2 r.
    pub const TWICE_R: u64 = 0xe7_db4e;
    /// A constant with every limb at its bound; constants are below r.
    pub const LARGEST: Limbs = {
        const MASK: u32 = (1 << LIMB_BITS) - 1;
        [MASK, MASK, MASK, MASK, MASK, MASK, MASK, MASK, 0x73_eda6]
    };
}

/// The bounds that the wide kernels document.
#[cfg(feature = "wide")]
mod limits {
    use super::{Element, Limbs, R};
    pub const LIMB_BITS: usize = 64;
    pub const RADIX_BITS: usize = 256;
    pub const TOP: Element = [u64::MAX, u64::MAX, u64::MAX, (61 << 57) - 1]; // 61 2^249 - 1
    pub const TERM: Element = [u64::MAX; 4];
    pub const PRODUCT: Element = [u64::MAX, u64::MAX, u64::MAX, u64::MAX / 100 * 93]; // 0.93 R
    pub const TWICE_R: u64 = 2 * R[3];
    pub const LARGEST: Limbs = [u64::MAX, u64::MAX, u64::MAX, R[3] - 1];
}

const R: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// A residue with the simplest arithmetic: 256-bit words, doubling and adding.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Plain([u64; 4]);

impl Plain {
    fn add(self, other: Plain) -> Plain {
        let mut sum = [0; 4];
        let mut carry = 0u128;
        for i in 0..4 {
            carry += self.0[i] as u128 + other.0[i] as u128;
            sum[i] = carry as u64;
            carry >>= 64;
        }
        let mut less = [0; 4];
        let mut borrow = 0i128;
        for i in 0..4 {
            borrow += sum[i] as i128 - R[i] as i128;
            less[i] = borrow as u64;
            borrow >>= 64;
        }
        Plain(if borrow < 0 && carry == 0 { sum } else { less })
    }

    fn double(self, times: usize) -> Plain {
        (0..times).fold(self, |x, _| x.add(x))
    }

    fn mul(self, other: Plain) -> Plain {
        (0..256).rev().fold(Plain([0; 4]), |sum, bit| {
            let twice = sum.double(1);
            if other.0[bit / 64] >> (bit % 64) & 1 == 1 { twice.add(self) } else { twice }
        })
    }

    /// Returns the residue of limbs of any size.
    fn of(limbs: &Element) -> Plain {
        limbs.iter().rev().fold(Plain([0; 4]), |sum, limb| sum.double(LIMB_BITS).add(Plain([*limb, 0, 0, 0])))
    }

    fn of_bytes(bytes: [u8; 32]) -> Plain {
        bytes.iter().fold(Plain([0; 4]), |sum, byte| sum.double(8).add(Plain([*byte as u64, 0, 0, 0])))
    }
}

/// Returns R as a residue.
fn radix() -> Plain {
    Plain([1, 0, 0, 0]).double(RADIX_BITS)
}

fn assert_within(x: &Element, top: &Element) {
    assert!(x.iter().zip(top).all(|(limb, top)| limb <= top), "{x:x?}");
}

const ZERO: Element = [0; LIMBS];

fn one() -> Element {
    core::array::from_fn(|j| u64::from(j == 0))
}

/// Returns elements up to `top`: the extremes, elements with one limb at its bound, and a deterministic spread.
fn up_to(top: Element) -> Vec<Element> {
    let mut elements = vec![ZERO, one(), constant(&LARGEST), top];
    elements.extend((0..LIMBS).map(|i| core::array::from_fn(|j| if i == j { top[j] } else { 0 })));
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    elements.extend((0..20).map(|_| {
        core::array::from_fn(|j| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state.rotate_right(20) % top[j]
        })
    }));
    elements
}

fn settled() -> Vec<Element> {
    up_to(TOP)
}

fn terms() -> Vec<Element> {
    up_to(TERM)
}

/// Returns settled elements and sums.
fn factors() -> Vec<Element> {
    let terms = terms();
    terms.iter().chain([&TERM]).map(|x| add(x, &TOP)).chain(settled()).collect()
}

#[test]
fn add_holds_at_the_bounds() {
    for x in terms() {
        for y in settled() {
            let sum = add(&x, &y);
            assert_within(&sum, &if cfg!(feature = "wide") { TOP } else { TOP.map(|limb| 2 * limb) });
            assert_eq!(Plain::of(&sum), Plain::of(&x).add(Plain::of(&y)));
        }
    }
}

#[test]
fn mul_holds_at_the_bounds() {
    for x in terms() {
        for y in factors() {
            let product = mul(&x, &y);
            assert_within(&product, &PRODUCT);
            assert_eq!(Plain::of(&product).mul(radix()), Plain::of(&x).mul(Plain::of(&y)));
        }
    }
}

/// No choice of x drives the quotients inside the S-box to their bounds. The test therefore tries thousands of the
/// largest x: some of their squares are among the largest, and the windows of the next square need a fifth limb.
#[test]
fn fifth_holds_at_the_bounds() {
    let scale = radix().mul(radix()).mul(radix()).mul(radix());
    let largest = (0..4000).map(|i| core::array::from_fn(|j| if j == 0 { TOP[0] - i } else { TOP[j] }));
    for x in factors().into_iter().chain(largest) {
        let (plain, power) = (Plain::of(&x), fifth(&x));
        assert_within(&power, &PRODUCT);
        assert_eq!(Plain::of(&power).mul(scale), plain.mul(plain).mul(plain).mul(plain).mul(plain));
    }
}

#[cfg(not(feature = "wide"))]
#[test]
fn square_holds_at_the_bounds() {
    for x in factors() {
        let squared = poseidon_wasm::field::square(&x);
        assert_within(&squared, &TOP);
        assert_eq!(Plain::of(&squared).mul(radix()), Plain::of(&x).mul(Plain::of(&x)));
    }
}

#[test]
fn dot_of_four_holds_at_the_bounds() {
    for weights in [LARGEST, [0; LIMBS], core::array::from_fn(|j| (j == 0) as _)] {
        for x in terms() {
            let row = Row { weights: [weights; 4], addend: LARGEST };
            let result = dot([&TERM, &x, &TERM, &x], &row);
            assert_within(&result, &TOP);
            let products = Plain::of(&TERM).add(Plain::of(&x)).double(1).mul(Plain::of(&constant(&weights)));
            let sum = products.add(Plain::of(&constant(&LARGEST)));
            assert_eq!(Plain::of(&result).mul(radix()), sum);
        }
    }
}

/// Weights above r, which no constant has. Even with these, no column may wrap.
#[cfg(not(feature = "wide"))]
#[test]
fn columns_hold_weights_above_r() {
    const MOST: Limbs = [(1 << LIMB_BITS) - 1; LIMBS];
    dot([&TOP; 4], &Row { weights: [MOST; 4], addend: MOST });
}

#[test]
fn bytes_come_back_canonical() {
    for (bytes, canonical) in [([0; 32], [0; 32]), ([1; 32], [1; 32]), ([0x72; 32], [0x72; 32])] {
        assert_eq!(to_bytes(&from_bytes(&bytes)), canonical);
    }
    let mut r = [0; 32];
    R.iter().rev().enumerate().for_each(|(i, word)| r[8 * i..8 * i + 8].copy_from_slice(&word.to_be_bytes()));
    for (offset, residue) in [(-1i8, None), (0, Some(0)), (1, Some(1))] {
        let mut near = r;
        near[31] = near[31].wrapping_add_signed(offset);
        let expected = residue.map_or(near, |last| core::array::from_fn(|i| if i == 31 { last } else { 0 }));
        assert_eq!(to_bytes(&from_bytes(&near)), expected);
    }
    for bytes in [[0xff; 32], [0xe7; 32], [0x80; 32]] {
        assert_eq!(Plain::of(&from_bytes(&bytes)), Plain::of_bytes(bytes));
    }
    for x in settled().into_iter().filter(|x| x[LIMBS - 1] < TWICE_R) {
        assert_eq!(Plain::of_bytes(to_bytes(&x)), Plain::of(&x));
    }
}
