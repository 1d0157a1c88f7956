//! Claims about sums of scalar multiples in G1 and G2: they equal arkworks' sums, for ordinary and for special points
//! and scalars. Without `--release`, a limb or column that exceeds its bounds panics.

use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::{
    AffineRepr, CurveGroup, PrimeGroup, VariableBaseMSM,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, Field, One, PrimeField, UniformRand, Zero};
use ark_std::rand::Rng;
use prover_wasm::{
    field::{self, Coordinate},
    msm::{Point, Scalar, msm},
};

use crate::common::rng::test_rng;

/// Compares a sum with arkworks' sum.
fn agrees<F: Coordinate>(points: &[Affine<F::Curve>], scalars: &[Fr], case: &str)
where
    F::Curve: SWCurveConfig<ScalarField = Fr>,
{
    let ours: Vec<Point<F>> = points.iter().copied().map(Point::from).collect();
    let words: Vec<Scalar> = scalars.iter().map(|x| x.into_bigint()).collect();
    assert!(
        msm(&ours, &words) == Projective::<F::Curve>::msm_bigint(points, &words),
        "{case}, {}",
        points.len()
    );
}

/// Returns distinct points without simple relations to each other.
fn points<F: Coordinate>(n: usize) -> Vec<Affine<F::Curve>>
where
    F::Curve: SWCurveConfig<ScalarField = Fr>,
{
    let step = Projective::<F::Curve>::generator() * Fr::from(0x1234_5678_9abc_def1u64).inverse().unwrap();
    let mut next = step * Fr::from(7u64);
    let all: Vec<_> = (0..n)
        .map(|i| {
            next = if i % 3 == 0 { next.double() + step } else { next + step };
            next
        })
        .collect();
    Projective::normalize_batch(&all)
}

fn random(rng: &mut impl Rng, n: usize) -> Vec<Fr> {
    (0..n).map(|_| Fr::rand(rng)).collect()
}

/// Returns scalars at the limits of the field, of windows, and of the digits' signs.
fn edges() -> Vec<Fr> {
    let two = Fr::from(2u64);
    let mut all = vec![Fr::zero(), Fr::one(), two, -Fr::one(), -two, two.inverse().unwrap()];
    for bit in 0..255u64 {
        let power = two.pow([bit]);
        all.extend([power, power - Fr::one(), -power]);
    }
    // Each window has half of its range, or one more: all digits are at the limit, or all carry.
    for window in 2..=16u32 {
        for digit in
            [(1u64 << (window - 1)) - 1, 1 << (window - 1), (1 << (window - 1)) + 1, (1 << window) - 1]
        {
            let base = two.pow([u64::from(window)]);
            all.push((0..254 / window).fold(Fr::zero(), |sum, _| sum * base + Fr::from(digit)));
        }
    }
    all
}

type Case<'a, P> = (&'a str, Vec<P>, Vec<Fr>);

fn awkward_cases<F: Coordinate>()
where
    F::Curve: SWCurveConfig<ScalarField = Fr>,
{
    let n = 300;
    let rng = &mut test_rng();
    let p = points::<F>(n);
    let at = |pick: &dyn Fn(usize) -> Affine<F::Curve>| -> Vec<_> { (0..n).map(pick).collect() };
    let all = |x: Fr| vec![x; n];
    let infinity = Affine::<F::Curve>::zero();
    let generator = Affine::<F::Curve>::generator();
    let cases: Vec<Case<Affine<F::Curve>>> = vec![
        ("random", p.clone(), random(rng, n)),
        ("three points repeated, random scalars", at(&|i| p[i % 3]), random(rng, n)),
        ("three points repeated, one scalar", at(&|i| p[i % 3]), all(Fr::from(5u64))),
        ("one point, one scalar", at(&|_| p[0]), all(-Fr::one())),
        (
            "a point and its opposite in turns",
            at(&|i| if i % 2 == 0 { p[0] } else { -p[0] }),
            all(Fr::from(5u64)),
        ),
        (
            "opposite halves, the sum is infinity",
            at(&|i| if i < n / 2 { p[i] } else { -p[n - 1 - i] }),
            all(Fr::one()),
        ),
        (
            "opposite pairs, random scalars",
            at(&|i| if i < n / 2 { p[i] } else { -p[n - 1 - i] }),
            random(rng, n),
        ),
        (
            "the same by opposite scalars",
            at(&|_| generator),
            (0..n).map(|i| Fr::one() - Fr::from(2 * (i as u64 % 2))).collect(),
        ),
        ("all scalars 0", p.clone(), all(Fr::zero())),
        ("all scalars 1", p.clone(), all(Fr::one())),
        ("all scalars r - 1", p.clone(), all(-Fr::one())),
        ("bits", p.clone(), (0..n).map(|_| Fr::from(rng.r#gen::<bool>())).collect()),
        ("small", p.clone(), (0..n).map(|i| Fr::from(i as u64 % 17)).collect()),
        ("small negative", p.clone(), (0..n).map(|i| -Fr::from(i as u64)).collect()),
        ("all infinity", at(&|_| infinity), random(rng, n)),
        ("every third infinity", at(&|i| if i % 3 == 0 { infinity } else { p[i] }), random(rng, n)),
        (
            "multiples of one point, so that buckets meet",
            at(&|i| (generator * Fr::from(1 + i as u64 % 8)).into_affine()),
            (0..n).map(|i| Fr::from(1 + i as u64 % 8)).collect(),
        ),
        (
            "powers of two of one point",
            {
                let mut next = generator.into_group();
                at(&|_| infinity)
                    .iter()
                    .map(|_| {
                        next = next.double();
                        next.into_affine()
                    })
                    .collect()
            },
            (0..n as u64).map(|i| Fr::from(2u64).pow([i])).collect(),
        ),
    ];
    for (case, points, scalars) in cases {
        agrees::<F>(&points, &scalars, case);
    }
    let scalars = edges();
    let many = points::<F>(scalars.len());
    agrees::<F>(&many, &scalars, "edges of scalars");
    agrees::<F>(&vec![generator; scalars.len()], &scalars, "edges of scalars, one point");
    for scalar in scalars.iter().step_by(5) {
        agrees::<F>(&[generator], &[*scalar], "one term");
        agrees::<F>(&[generator, -generator], &[*scalar, *scalar], "opposite terms");
    }
}

#[test]
fn special_points_and_scalars_are_summed_as_by_arkworks_in_g1() {
    awkward_cases::<field::Fq>();
}

#[test]
fn special_points_and_scalars_are_summed_as_by_arkworks_in_g2() {
    awkward_cases::<field::Fq2>();
}

fn sizes<F: Coordinate>(sizes: &[usize])
where
    F::Curve: SWCurveConfig<ScalarField = Fr>,
{
    let rng = &mut test_rng();
    for n in sizes {
        let points = points::<F>(*n);
        agrees::<F>(&points, &random(rng, *n), "random");
        // As in a witness, half of the values are bits.
        let scalars: Vec<Fr> =
            (0..*n).map(|i| if i % 2 == 0 { Fr::rand(rng) } else { Fr::from(i as u64 % 4 / 2) }).collect();
        agrees::<F>(&points, &scalars, "half bits");
    }
}

/// With these sizes, windows have from 2 to 10 bits; the largest needs more than one group of windows.
const SIZES: [usize; 11] = [0, 1, 2, 3, 5, 17, 65, 257, 1025, 1500, 6000];

#[test]
fn any_number_of_terms_is_summed_as_by_arkworks_in_g1() {
    sizes::<field::Fq>(&SIZES);
}

#[test]
fn any_number_of_terms_is_summed_as_by_arkworks_in_g2() {
    sizes::<field::Fq2>(&SIZES);
}

#[test]
#[ignore = "deep: minutes"]
fn tens_of_thousands_of_terms_are_summed_as_by_arkworks() {
    let overflow = std::panic::catch_unwind(|| std::hint::black_box(i64::MAX) + 1);
    assert!(overflow.is_err() && cfg!(debug_assertions), "bounds are to be checked, so not with --release");
    sizes::<field::Fq>(&[8192, 16384, 50_000]);
    sizes::<field::Fq2>(&[8192, 16384, 50_000]);
}

#[test]
fn the_longer_list_is_cut() {
    let points = points::<field::Fq>(4);
    let ours: Vec<Point<field::Fq>> = points.iter().copied().map(Point::from).collect();
    let scalars: Vec<Scalar> = (2..5u64).map(|x| Fr::from(x).into_bigint()).collect();
    let expected = ark_bls12_381::G1Projective::msm_bigint(&points[..3], &scalars);
    assert_eq!(msm(&ours, &scalars), expected);
    assert_eq!(msm(&ours[..3], &[&scalars[..], &[Fr::from(9u64).into_bigint()]].concat()), expected);
    assert!(msm::<field::Fq>(&[], &[]).is_zero());
}

#[test]
fn points_outside_the_subgroup_are_summed_too() {
    // The smallest coordinates, including x = 0: the reader does not check that a key's points have order r.
    let g1: Vec<G1Affine> = (0u64..40)
        .filter_map(|x| G1Affine::get_point_from_x_unchecked(Fq::from(x), x % 2 == 0))
        .chain((1u64..40).filter_map(|x| G1Affine::get_point_from_x_unchecked(-Fq::from(x), x % 2 == 0)))
        .collect();
    let g2: Vec<G2Affine> = (0u64..40)
        .filter_map(|x| G2Affine::get_point_from_x_unchecked(Fq2::new(Fq::from(x), -Fq::one()), x % 2 == 0))
        .chain(
            (0u64..40)
                .filter_map(|x| G2Affine::get_point_from_x_unchecked(Fq2::new(Fq::from(x), Fq::ZERO), false)),
        )
        .collect();
    assert!(g1[0].x == Fq::ZERO && !g1[0].is_in_correct_subgroup_assuming_on_curve());
    let rng = &mut test_rng();
    for _ in 0..4 {
        agrees::<field::Fq>(&g1, &random(rng, g1.len()), "G1");
        agrees::<field::Fq2>(&g2, &random(rng, g2.len()), "G2");
        agrees::<field::Fq>(&vec![g1[0]; 9], &random(rng, 9), "a point of order 3");
    }
}

#[test]
fn points_come_from_arkworks_and_go_back() {
    for point in [G1Affine::zero(), G1Affine::generator(), -G1Affine::generator()] {
        assert_eq!(Point::<field::Fq>::from(point).to_ark(), point);
    }
    for point in [G2Affine::zero(), G2Affine::generator(), -G2Affine::generator()] {
        assert_eq!(Point::<field::Fq2>::from(point).to_ark(), point);
    }
}
