//! Sums of scalar multiples, the bulk of a proof. The only place that knows how they are computed.

use ark_bls12_381::{Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::VariableBaseMSM;
use ark_ff::PrimeField;

/// A scalar below r, as plain words.
pub type Scalar = <Fr as PrimeField>::BigInt;

/// The sum of `scalars[i] * points[i]`; what is longer is cut.
pub fn msm_g1(points: &[G1Affine], scalars: &[Scalar]) -> G1Projective {
    G1Projective::msm_bigint(points, scalars)
}

/// As [`msm_g1`], of G2.
pub fn msm_g2(points: &[G2Affine], scalars: &[Scalar]) -> G2Projective {
    G2Projective::msm_bigint(points, scalars)
}
