//! Claims about the bounds in the kernels' comments: they hold, computed exactly, for the largest operands that the
//! kernels accept. `extremes.rs` then runs the kernels with such operands.

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

/// Returns whether values below `sum / 2^radix + r` are below `hundredths / 100` of `unit`.
fn is_below(sum: Natural, radix: usize, hundredths: u64, unit: Natural) -> bool {
    // Both sides are multiplied by 100 2^radix.
    sum.plus(R.doubled(radix)).times(100) <= unit.doubled(radix).times(hundredths)
}

#[cfg(not(feature = "wide"))]
mod narrow {
    use super::{Natural, R, is_below, power_of_two};

    const RADIX: usize = 261;
    /// The most that seven products of quotients, 8 t, a carry and a limb of an addend add to a column.
    const REDUCTION: u128 = 7 * (1 << 58) + (1 << 32) + (1 << 35) + (1 << 29);

    /// Adds r times the most by which the quotients exceed 2^261.
    fn with_excess(sum: Natural) -> Natural {
        sum.plus(R.doubled(RADIX - 28))
    }

    #[test]
    fn quotients_from_one_up_stay_below_their_bound() {
        // The largest q in every row: 2^29 (2^261 - 1) / (2^29 - 1).
        let all = (0..9).fold(Natural([0; 10]), |sum, _| sum.doubled(29).plus(power_of_two(29)));
        assert!(all <= power_of_two(RADIX).plus(power_of_two(RADIX - 28)));
        assert!(all > power_of_two(RADIX).plus(power_of_two(RADIX - 29)));
    }

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
        let mul = with_excess(power_of_two(256 + 257));
        let square = with_excess(power_of_two(257 + 257));
        let dot = with_excess(R.doubled(2 + 256).plus(R));
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

    const RADIX: usize = 256;

    /// The bound of a settled element: 61 2^249.
    fn settled() -> Natural {
        power_of_two(249).times(61)
    }

    /// Returns whether `x y / R + r` is below a bound. All numbers are in thousandths of R.
    fn product_is_below(x: u64, y: u64, thousandths: u64) -> bool {
        let sum = power_of_two(RADIX).times(x).times(y);
        sum.plus(R.times(1_000_000)) <= power_of_two(RADIX).times(thousandths * 1000)
    }

    #[test]
    fn powers_within_the_s_box_fit_four_limbs() {
        assert!(settled().times(1000) < power_of_two(RADIX).times(477));
        let square = settled().times(61).doubled(249);
        assert!(is_below(square, RADIX, 68, power_of_two(RADIX)));
        assert!(product_is_below(680, 680, 916));
        assert!(product_is_below(916, 477, 890));
        assert!(product_is_below(1000, 477, 930));
    }

    #[test]
    fn sums_stay_below_a_row_and_r() {
        // s' = (s + row + q r) / 2^64 for s < y + r, a row of at most (2^64 - 1) y and q < 2^64.
        let square = power_of_two(RADIX).times(680); // in thousandths, like every value here
        for (y, most) in [(settled().times(1000), 930), (square, 1133)] {
            let bound = y.plus(R.times(1000));
            assert!(bound < power_of_two(RADIX).times(most));
            let next = bound.plus(y.times(u64::MAX)).plus(R.times(1000).times(u64::MAX));
            assert!(next <= bound.doubled(64));
            // The sum with its row, before the products of r, fits in five limbs.
            assert!(bound.plus(y.times(u64::MAX)) < power_of_two(320).times(1000));
        }
        let (rows, most) = (R.doubled(2), R.times(5));
        let next = most.plus(rows.times(u64::MAX)).plus(R.times(u64::MAX));
        assert!(next <= most.doubled(64) && next < power_of_two(6 * 64));
    }

    #[test]
    fn fold_settles_all_values_below_five_r() {
        assert!(power_of_two(RADIX).plus(settled()) < R.times(5)); // `add` passes this to `fold`
        let unit = power_of_two(250);
        assert!(R.times(5) < unit.times(145));
        for t in 0..145 {
            let k = (t * 141) >> 12;
            assert!(R.times(k) <= unit.times(t));
            let most = unit.times(t + 1); // exclusive
            assert!(most <= R.times(k).plus(settled()));
            assert!(most.times(1000) <= R.times(1000 * k).plus(power_of_two(RADIX).times(474)));
        }
    }

    #[test]
    fn products_with_one_and_settled_elements_are_below_two_r() {
        assert!(settled() < R.doubled(1));
        assert!(is_below(settled(), RADIX, 200, R));
    }
}
