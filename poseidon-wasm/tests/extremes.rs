//! The field kernels with every limb at the bound that its documentation allows, against schoolbook arithmetic. Tests
//! build with overflow checks on, so a column that does not fit 64 bits panics here.

#![allow(clippy::needless_range_loop)] // the index of a limb is its weight

use limits::{LARGEST, LIMB_BITS, RADIX_BITS, TOP, TWICE_R};
use poseidon_wasm::field::{
    Element, LIMBS, Limbs, Row, add, constant, dot, fifth, from_bytes, mul, square, to_bytes,
};

/// What the narrow kernels state.
#[cfg(not(feature = "wide"))]
mod limits {
    use super::{Element, Limbs};
    pub const LIMB_BITS: usize = 29;
    pub const RADIX_BITS: usize = 261;
    const MASK: u64 = (1 << LIMB_BITS) - 1;
    /// Every limb of a settled element at its bound.
    pub const TOP: Element = [MASK, MASK, MASK, MASK, MASK, MASK, MASK, MASK, (1 << 24) - 1]; // 2^256 - 1
    /// The highest limb of 2 r.
    pub const TWICE_R: u64 = 0xe7_db4e;
    /// All limbs at the bound of a constant, which is below r.
    pub const LARGEST: Limbs = {
        const MASK: u32 = (1 << LIMB_BITS) - 1;
        [MASK, MASK, MASK, MASK, MASK, MASK, MASK, MASK, 0x73_eda6]
    };
}

/// What the wide kernels state.
#[cfg(feature = "wide")]
mod limits {
    use super::{Element, Limbs, R};
    pub const LIMB_BITS: usize = 64;
    pub const RADIX_BITS: usize = 288;
    pub const TOP: Element = [u64::MAX, u64::MAX, u64::MAX, R[3] + (1 << 34) - 1]; // r + 2^226, but for less than 2^192
    pub const TWICE_R: u64 = 2 * R[3];
    pub const LARGEST: Limbs = [u64::MAX, u64::MAX, u64::MAX, R[3] - 1];
}

const R: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// A residue by the most plain means there are: 256-bit words, doubling and adding.
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

    /// The residue of limbs of any size.
    fn of(limbs: &Element) -> Plain {
        limbs.iter().rev().fold(Plain([0; 4]), |sum, limb| sum.double(LIMB_BITS).add(Plain([*limb, 0, 0, 0])))
    }

    fn of_bytes(bytes: [u8; 32]) -> Plain {
        bytes.iter().fold(Plain([0; 4]), |sum, byte| sum.double(8).add(Plain([*byte as u64, 0, 0, 0])))
    }
}

/// R as a residue.
fn radix() -> Plain {
    Plain([1, 0, 0, 0]).double(RADIX_BITS)
}

fn assert_settled(x: &Element) {
    assert!(x.iter().zip(TOP).all(|(limb, top)| *limb <= top), "{x:x?}");
}

const ZERO: Element = [0; LIMBS];

fn one() -> Element {
    core::array::from_fn(|j| u64::from(j == 0))
}

/// Settled elements: the extremes, one limb at its bound, and a deterministic spread.
fn settled() -> Vec<Element> {
    let mut elements = vec![ZERO, one(), constant(&LARGEST), TOP];
    elements.extend((0..LIMBS).map(|i| core::array::from_fn(|j| if i == j { TOP[j] } else { 0 })));
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    elements.extend((0..20).map(|_| {
        core::array::from_fn(|j| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state.rotate_right(20) % TOP[j]
        })
    }));
    elements
}

fn sums() -> Vec<Element> {
    let elements = settled();
    elements.iter().chain([&TOP]).map(|x| add(x, &TOP)).chain(elements.clone()).collect()
}

#[test]
fn mul_holds_at_the_bounds() {
    for x in settled() {
        for y in sums() {
            let product = mul(&x, &y);
            assert_settled(&product);
            assert_eq!(Plain::of(&product).mul(radix()), Plain::of(&x).mul(Plain::of(&y)));
        }
    }
}

#[test]
fn square_and_fifth_hold_at_the_bounds() {
    for x in sums() {
        let (plain, squared) = (Plain::of(&x), square(&x));
        assert_settled(&squared);
        assert_eq!(Plain::of(&squared).mul(radix()), plain.mul(plain));
        let scale = radix().mul(radix()).mul(radix()).mul(radix());
        let expected = plain.mul(plain).mul(plain).mul(plain).mul(plain);
        assert_eq!(Plain::of(&fifth(&x)).mul(scale), expected);
    }
}

#[test]
fn dot_of_four_holds_at_the_bounds() {
    for weights in [LARGEST, [0; LIMBS], core::array::from_fn(|j| (j == 0) as _)] {
        for x in settled() {
            let row = Row { weights: [weights; 4], addend: LARGEST };
            let result = dot([&TOP, &x, &TOP, &x], &row);
            assert_settled(&result);
            let products = Plain::of(&TOP).add(Plain::of(&x)).double(1).mul(Plain::of(&constant(&weights)));
            let sum = products.add(Plain::of(&constant(&LARGEST)));
            assert_eq!(Plain::of(&result).mul(radix()), sum);
        }
    }
    // Above r, which constants never are: more than the kernel must stand without a column that wraps.
    const MOST: Limbs = [((1u128 << LIMB_BITS) - 1) as _; LIMBS];
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
