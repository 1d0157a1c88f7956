//! The bounds that the kernels' comments state, computed exactly from what those take: operands as large as they may be.
//! `extremes.rs` then drives the kernels with such operands.

use core::cmp::Ordering;

/// Little-endian words of a natural number below 2^640.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Natural([u64; 10]);

const R: Natural = Natural([
    0xffff_ffff_0000_0001,
    0x53bd_a402_fffe_5bfe,
    0x3339_d808_09a1_d805,
    0x73ed_a753_299d_7d48,
    0,
    0,
    0,
    0,
    0,
    0,
]);

fn power_of_two(exponent: usize) -> Natural {
    let mut words = [0; 10];
    words[exponent / 64] = 1 << (exponent % 64);
    Natural(words)
}

impl Natural {
    fn plus(self, other: Natural) -> Natural {
        let mut carry = 0;
        let sum = core::array::from_fn(|i| {
            let column = self.0[i] as u128 + other.0[i] as u128 + carry;
            carry = column >> 64;
            column as u64
        });
        assert_eq!(carry, 0);
        Natural(sum)
    }

    fn times(self, factor: u64) -> Natural {
        let mut carry = 0;
        let product = core::array::from_fn(|i| {
            let column = self.0[i] as u128 * factor as u128 + carry;
            carry = column >> 64;
            column as u64
        });
        assert_eq!(carry, 0);
        Natural(product)
    }

    fn doubled(self, times: usize) -> Natural {
        (0..times).fold(self, |x, _| x.plus(x))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

/// A value is below `sum / 2^radix + r` and is to be below `hundredths / 100` of `unit`.
fn is_below(sum: Natural, radix: usize, hundredths: u64, unit: Natural) -> bool {
    // All times 100 2^radix.
    sum.plus(R.doubled(radix)).times(100) <= unit.doubled(radix).times(hundredths)
}

#[cfg(not(feature = "wide"))]
mod narrow {
    use super::{R, is_below, power_of_two};

    const RADIX: usize = 261;
    /// Most that nine products q r_j, a carry and a limb of an addend add to a column.
    const REDUCTION: u128 = 9 * (1 << 58) + (1 << 35) + (1 << 29);

    #[test]
    fn columns_stay_within_their_powers_of_two() {
        assert!(9u128.pow(5) < 1 << 16); // nine products below 2^n are below 2^(n + 3.2)
        assert!(9 * (1u128 << (29 + 30)) + REDUCTION < 1 << 63); // mul
        let square = 9 * (1u128 << (30 + 30)) + REDUCTION;
        let dot = 9 * 4 * (1u128 << (29 + 29)) + REDUCTION;
        assert!(square * square < 1 << 127 && dot * dot < 1 << 127); // below 2^63.5
    }

    #[test]
    fn values_are_settled() {
        let (settled, sum) = (power_of_two(256), power_of_two(257));
        let mul = power_of_two(256 + 257);
        let square = power_of_two(257 + 257);
        let dot = R.doubled(2 + 256).plus(R);
        assert!(is_below(mul, RADIX, 114, R));
        assert!(is_below(square, RADIX, 128, R) && is_below(square, RADIX, 116, power_of_two(255)));
        assert!(is_below(dot, RADIX, 113, R) && is_below(dot, RADIX, 103, power_of_two(255)));
        assert!(!is_below(dot, RADIX, 100, power_of_two(255)));
        for product in [mul, square, dot] {
            assert!(is_below(product, RADIX, 100, settled) && is_below(product, RADIX, 200, R));
        }
        assert!(settled.plus(settled) <= sum);
    }
}

#[cfg(feature = "wide")]
mod wide {
    use super::{Natural, R, is_below, power_of_two};

    const RADIX: usize = 288;

    fn settled() -> Natural {
        R.plus(power_of_two(226))
    }

    #[test]
    fn values_are_settled() {
        let one = power_of_two(0);
        assert!(settled() < power_of_two(255));
        let sum = settled().plus(settled());
        assert!(sum.times(100) < power_of_two(256).times(91));
        let dot = R.doubled(2 + 255).plus(R);
        assert!(R.doubled(2 + 255) < power_of_two(512));
        for product in [power_of_two(256 + 256), dot] {
            // sum / 2^288 + r, rounded up
            assert!(product <= power_of_two(224).plus(one).doubled(RADIX));
            assert!(is_below(product, RADIX, 100, settled()));
        }
    }

    #[test]
    fn what_is_in_the_window_stays_below_a_row_and_r() {
        // s' = (s + row + q r) / 2^64 for s < B + r + 1, a row of at most (2^64 - 1) B and q < 2^64.
        for bound in [power_of_two(256), power_of_two(257)] {
            let most = bound.plus(R).plus(power_of_two(0));
            let next = most.plus(bound.times(u64::MAX)).plus(R.times(u64::MAX));
            assert!(next < most.doubled(64));
            assert!(most.plus(bound.times(u64::MAX)) < power_of_two(323));
        }
    }
}
