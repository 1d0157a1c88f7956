//! Claims about the base field and its extension: they compute what arkworks computes, from any limbs that the bounds
//! allow, and results keep to their bounds. Without `--release`, an overflow panics as well.

use ark_bls12_381::{Fq as ArkFq, Fq2 as ArkFq2};
use ark_ff::{AdditiveGroup, BigInt, Field, PrimeField, UniformRand, Zero};
use ark_std::rand::Rng;
use prover_wasm::field::{
    Coordinate, Fq, Fq2,
    limbs::{BITS, LIMBS, Limb, Limbs, Q, RADIX_BITS, balanced, canonical, carry, fits, store},
};

use crate::common::rng::test_rng;

/// The maximum magnitude of a carried limb.
const UNIT: Limb = (1 << (BITS - 1)) + 2;
const TOP: usize = LIMBS - 1;
const ROUNDS: usize = 2000;

/// Returns the element that limbs represent, by their definition.
fn meaning(limbs: &Limbs) -> ArkFq {
    integer(limbs) / ArkFq::from(2u64).pow([u64::from(RADIX_BITS)])
}

/// Returns V modulo q.
fn integer(limbs: &Limbs) -> ArkFq {
    let limb = |limb: Limb| match limb.unsigned_abs() {
        magnitude if limb < 0 => -ArkFq::from(magnitude),
        magnitude => ArkFq::from(magnitude),
    };
    limbs.iter().rev().fold(ArkFq::ZERO, |sum, next| sum * ArkFq::from(1u64 << BITS) + limb(*next))
}

fn meaning2([c0, c1]: &[Limbs; 2]) -> ArkFq2 {
    ArkFq2::new(meaning(c0), meaning(c1))
}

/// Returns limb 12 of an element of this size.
fn top(size: f64) -> Limb {
    (Q[TOP] as f64 * size) as Limb
}

fn is_stored(x: &Limbs) -> bool {
    fits(x, 1) && x[TOP].abs() <= top(0.501)
}

fn is_product(x: &Limbs) -> bool {
    fits(x, 1) && x[TOP].abs() <= top(0.51)
}

/// Returns limbs at the extremes of this many units and this size.
fn extremes(units: Limb, size: f64) -> Vec<Limbs> {
    let most = units * UNIT;
    let mut all = Vec::new();
    for top in [top(size), top(size / 2.0), 1, 0, -1, top(-size / 2.0), top(-size)] {
        let patterns: [fn(Limb, usize) -> Limb; 8] = [
            |_, _| 0,
            |most, _| most,
            |most, _| -most,
            |most, i| if i % 2 == 0 { most } else { -most },
            |most, i| if i % 2 == 0 { -most } else { most },
            |most, i| if i < LIMBS / 2 { most } else { -most },
            |most, i| if i == 0 { most } else { 0 },
            |most, i| if i == TOP - 1 { -most } else { 0 },
        ];
        all.extend(
            patterns.map(|pattern| core::array::from_fn(|i| if i == TOP { top } else { pattern(most, i) })),
        );
    }
    all
}

/// Returns random limbs within these bounds.
fn random_limbs(rng: &mut impl Rng, units: Limb, size: f64) -> Limbs {
    let most = units * UNIT;
    core::array::from_fn(|i| {
        let most = if i == TOP { top(size) } else { most };
        rng.gen_range(-most..=most)
    })
}

/// Returns the extremes, then random limbs.
fn operands(units: Limb, size: f64) -> Vec<Limbs> {
    let rng = &mut test_rng();
    let random: Vec<Limbs> = (0..60).map(|_| random_limbs(rng, units, size)).collect();
    [extremes(units, size), random].concat()
}

fn elements() -> Vec<ArkFq> {
    let rng = &mut test_rng();
    let mut all: Vec<ArkFq> = [0, 1, 2, u64::MAX].map(ArkFq::from).to_vec();
    all.extend([384, 389, 390, 391, 392, 395, 396, 400, 29, 30, 55, 56].map(|n| ArkFq::from(2u64).pow([n])));
    let all_ones = [u64::MAX, u64::MAX, u64::MAX, u64::MAX, u64::MAX, (1 << 60) - 1];
    // These bits are used both as a number and as an internal representation.
    all.extend([ArkFq::new(BigInt(all_ones)), ArkFq::new_unchecked(BigInt(all_ones))]);
    let half = ArkFq::from(2u64).inverse().unwrap();
    all.extend([half, half - ArkFq::from(1u64)]);
    all.extend(all.clone().iter().map(|x| -*x)); // q - 1 and so on
    all.extend((0..ROUNDS).map(|_| ArkFq::rand(rng)));
    all
}

#[test]
fn the_limbs_of_an_integer_are_its_balanced_digits() {
    for x in elements() {
        let limbs = balanced(x.into_bigint().0);
        assert!(limbs[..TOP].iter().all(|limb| (-(1 << (BITS - 1))..1 << (BITS - 1)).contains(limb)));
        assert_eq!(integer(&limbs), x);
        assert_eq!(canonical(&limbs), x.into_bigint().0);
    }
    assert_eq!(integer(&Q), ArkFq::ZERO);
    let all_ones = balanced([u64::MAX; 6]);
    assert_eq!(integer(&all_ones), ArkFq::from(2u64).pow([384]) - ArkFq::from(1u64));
}

#[test]
fn canonical_words_are_below_q_for_either_sign() {
    for limbs in operands(3, 0.99) {
        assert_eq!(canonical(&limbs), integer(&limbs).into_bigint().0);
    }
}

#[test]
fn elements_come_from_arkworks_and_go_back() {
    for x in elements() {
        let ours = Fq::from_ark(&x);
        assert!(is_stored(&ours.0));
        assert_eq!((meaning(&ours.0), ours.to_ark()), (x, x));
    }
    for limbs in operands(1, 0.99) {
        assert_eq!(Fq(limbs).to_ark(), meaning(&limbs));
    }
    assert_eq!((meaning(&Fq::ZERO.0), meaning(&Fq::ONE.0)), (ArkFq::ZERO, ArkFq::from(1u64)));
    assert_eq!(meaning2(&Fq2::ONE.0), ArkFq2::ONE);
}

#[test]
fn carrying_and_storing_keep_the_element() {
    for limbs in operands(3, 2.48) {
        let carried = carry(limbs);
        assert!(fits(&carried, 1));
        assert_eq!(integer(&carried), integer(&limbs));
        let stored = store(limbs);
        assert!(is_stored(&stored), "{limbs:?}");
        assert_eq!(integer(&stored), integer(&limbs));
    }
}

#[test]
fn zero_is_recognised_in_each_of_its_forms() {
    let multiple = |m: Limb| Q.map(|limb| m * limb);
    for m in [-1, 0, 1] {
        assert!(Fq(multiple(m)).is_zero());
        assert!(Fq2([multiple(m), multiple(-m)]).is_zero());
        for limb in 0..LIMBS {
            let mut other = multiple(m);
            other[limb] += if other[limb] > 0 { -1 } else { 1 };
            assert!(!Fq(other).is_zero());
            assert!(!Fq2([other, multiple(m)]).is_zero());
            assert!(!Fq2([multiple(m), other]).is_zero());
        }
    }
    for x in elements() {
        let ours = Fq::from_ark(&x);
        assert_eq!(ours.is_zero(), x.is_zero());
        assert_eq!(ours.is_plain_zero(), x.is_zero());
        // A different computation gives the same element with other limbs.
        let again = Fq::from_ark(&(x + ArkFq::from(7u64))).minus_stored(&Fq::from_ark(&ArkFq::from(7u64)));
        assert!(again.minus(&ours).is_zero());
    }
}

#[test]
fn products_are_right_from_any_limbs_in_bounds() {
    let carried = operands(1, 1.7);
    for x in &carried {
        let square = Fq(*x).squared();
        assert!(is_product(&square.0));
        assert_eq!(meaning(&square.0), meaning(x).square());
        for y in &carried {
            let product = Fq(*x).times(&Fq(*y));
            assert!(is_product(&product.0), "{x:?} {y:?}");
            assert_eq!(meaning(&product.0), meaning(x) * meaning(y));
        }
    }
}

#[test]
fn a_difference_that_is_not_carried_may_be_multiplied_in_either_field() {
    let (stored, factors) = (operands(1, 0.5), operands(1, 0.5));
    for (i, x) in stored.iter().enumerate() {
        let y = stored[stored.len() - 1 - i];
        for f in &factors {
            let product = Fq(*x).difference_times(&Fq(y), &Fq(*f));
            assert!(is_product(&product.0));
            assert_eq!(meaning(&product.0), (meaning(x) - meaning(&y)) * meaning(f));

            let (x2, y2, f2) = ([*x, y], [y, *f], [*f, *x]);
            let product = Fq2(x2).difference_times(&Fq2(y2), &Fq2(f2));
            assert!(product.0.iter().all(is_product));
            assert_eq!(meaning2(&product.0), (meaning2(&x2) - meaning2(&y2)) * meaning2(&f2));
        }
    }
}

#[test]
fn products_in_the_extension_are_right_from_any_limbs_in_bounds() {
    let (edges, rng) = (extremes(1, 1.7), &mut test_rng());
    let mut pairs: Vec<[Limbs; 2]> = Vec::new();
    for (i, x) in edges.iter().enumerate() {
        pairs.extend([[*x, *x], [*x, x.map(|limb| -limb)], [*x, edges[(i * 5 + 3) % edges.len()]]]);
    }
    pairs.extend((0..60).map(|_| [random_limbs(rng, 1, 1.7), random_limbs(rng, 1, 1.7)]));
    for x in &pairs {
        for y in &pairs {
            let product = Fq2(*x).times(&Fq2(*y));
            assert!(product.0.iter().all(is_product));
            assert_eq!(meaning2(&product.0), meaning2(x) * meaning2(y));
        }
    }
    for c0 in operands(1, 0.51) {
        for c1 in operands(1, 0.51) {
            let square = Fq2([c0, c1]).squared();
            assert!(square.0.iter().all(is_product));
            assert_eq!(meaning2(&square.0), meaning2(&[c0, c1]).square());
        }
    }
}

#[test]
fn sums_keep_to_the_bounds_that_they_state() {
    let (products, stored) = (operands(1, 0.51), operands(1, 0.5));
    for (i, x) in products.iter().enumerate() {
        for (j, y) in stored.iter().enumerate() {
            let z = &stored[(i + 7 * j) % stored.len()];
            let (mx, my, mz) = (meaning(x), meaning(y), meaning(z));
            let (x1, y1, z1) = (Fq(*x), Fq(*y), Fq(*z));
            for (sum, expected) in [
                (x1.minus_two(&y1, &z1), mx - my - mz),
                (x1.minus_stored(&y1), mx - my),
                (Fq2([*x, *y]).minus_two(&Fq2([*y, *z]), &Fq2([*z, *z])).0.map(Fq)[0], mx - my - mz),
                (Fq2([*y, *x]).minus_stored(&Fq2([*z, *y])).0.map(Fq)[1], mx - my),
            ] {
                assert!(is_stored(&sum.0));
                assert_eq!(meaning(&sum.0), expected);
            }
            for (sum, expected) in [
                (x1.minus(&y1), mx - my),
                (x1.tripled(), mx + mx + mx),
                (y1.doubled(), my + my),
                (y1.negated(), -my),
            ] {
                assert!(fits(&sum.0, 1));
                assert_eq!(meaning(&sum.0), expected);
            }
        }
    }
}

#[test]
fn inverses_are_right_and_that_of_zero_is_zero() {
    for x in elements().into_iter().take(60) {
        assert_eq!(Fq::from_ark(&x).inverse().to_ark(), x.inverse().unwrap_or_default());
        let x2 = ArkFq2::new(x, x.square() - ArkFq::from(3u64));
        assert_eq!(Fq2::from_ark(&x2).inverse().to_ark(), x2.inverse().unwrap_or_default());
    }
    assert_eq!(Fq2::ZERO.inverse(), Fq2::ZERO);
}

#[test]
fn long_random_programs_agree_with_arkworks() {
    let rng = &mut test_rng();
    let (mut x, mut y) = (ArkFq2::rand(rng), ArkFq2::rand(rng));
    let (mut ours_x, mut ours_y) = (Fq2::from_ark(&x), Fq2::from_ark(&y));
    for step in 0..20 * ROUNDS {
        (x, ours_x) = match rng.gen_range(0..5) {
            0 => (x * y, ours_x.times(&ours_y)),
            1 => (x.square(), ours_x.squared()),
            2 => ((x - y) * y, ours_x.difference_times(&ours_y, &ours_y)),
            3 => (x - y - y, ours_x.minus_two(&ours_y, &ours_y)),
            _ => (x.double() * y, ours_x.doubled().times(&ours_y)),
        };
        ours_x = ours_x.minus_stored(&Fq2::ZERO);
        (x, y, ours_x, ours_y) = (y, x, ours_y, ours_x);
        if step % 16 == 0 {
            assert_eq!((ours_x.to_ark(), ours_y.to_ark()), (x, y), "step {step}");
        }
    }
}
