//! Phase 2 of the trusted setup of Groth16 over BLS12-381 for WebAssembly: the arithmetic of `src/ops/ceremony/`, which
//! owns files, hashes and the order of checks. This file is the boundary to JavaScript. No function may trap on hostile
//! bytes: malformed bytes give an error or `false`.
//!
//! Points cross the boundary in the format of the files ([`points`]), scalars as 32 bytes little endian.
//!
//! Random linear combinations check the sections of a key. For unpredictable scalars s_i, the sum of s_i P_i has the
//! right value only if every P_i does, except with probability 1 / r. This takes two sums instead of a group transform,
//! and needs no prepared powers.

mod circuit;
mod points;
mod random;
mod scale;
mod secret;

// This includes the prover's arithmetic as source. A dependency would add the prover's exports to this module, and
// Cargo would hash the absolute path of a package outside this folder into the symbols, which must be reproducible.
#[allow(dead_code)]
#[path = "../../prover-wasm/src/domain.rs"]
mod domain;
#[allow(dead_code)]
#[path = "../../prover-wasm/src/field/mod.rs"]
mod field;
#[allow(dead_code)]
#[path = "../../prover-wasm/src/msm/mod.rs"]
mod msm;

use ark_bls12_381::{Bls12_381, Fr, G1Affine, G2Affine, g1, g2};
use ark_ec::{AffineRepr, CurveGroup, pairing::Pairing, short_weierstrass::Affine};
use ark_ff::{PrimeField, Zero};
use circuit::Section;
use points::Curve;
use wasm_bindgen::prelude::*;

fn malformed(what: &str) -> JsError {
    JsError::new(&format!("{what} malformed"))
}

fn seed_of(bytes: &[u8]) -> Result<&[u8; 32], JsError> {
    bytes.try_into().map_err(|_| malformed("seed is"))
}

fn points_of<P: Curve>(bytes: &[u8]) -> Result<Vec<Affine<P>>, JsError> {
    points::read(bytes).ok_or_else(|| malformed("points are"))
}

fn scalars_of(bytes: &[u8]) -> Result<Vec<Fr>, JsError> {
    circuit::scalars_of(bytes).ok_or_else(|| malformed("scalars are"))
}

fn bytes_of<P: Curve>(points: &[Affine<P>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(points.len() * P::BYTES);
    points.iter().for_each(|point| points::write(&mut out, point));
    out
}

/// Returns the number of the first point of G1 that is not canonical, not on the curve, not of order r, or infinity
/// where `infinity` is false. Returns -1 if all points are sound.
#[wasm_bindgen(js_name = firstUnsoundG1)]
pub fn first_unsound_g1(points: &[u8], infinity: bool) -> i32 {
    points::first_unsound::<g1::Config>(points, infinity).map_or(-1, |at| at as i32)
}

/// Works like `firstUnsoundG1`, for G2.
#[wasm_bindgen(js_name = firstUnsoundG2)]
pub fn first_unsound_g2(points: &[u8], infinity: bool) -> i32 {
    points::first_unsound::<g2::Config>(points, infinity).map_or(-1, |at| at as i32)
}

/// Returns the sum of scalar multiples of points of G1. Ignores the surplus of the longer list.
#[wasm_bindgen(js_name = sumG1)]
pub fn sum_g1(points: &[u8], scalars: &[u8]) -> Result<Vec<u8>, JsError> {
    let points: Vec<_> = points_of::<g1::Config>(points)?.into_iter().map(msm::G1::from).collect();
    let scalars: Vec<_> = scalars_of(scalars)?.iter().map(|scalar| scalar.into_bigint()).collect();
    Ok(bytes_of(&[msm::msm(&points, &scalars).into_affine()]))
}

/// Works like `sumG1`, for G2.
#[wasm_bindgen(js_name = sumG2)]
pub fn sum_g2(points: &[u8], scalars: &[u8]) -> Result<Vec<u8>, JsError> {
    let points: Vec<_> = points_of::<g2::Config>(points)?.into_iter().map(msm::G2::from).collect();
    let scalars: Vec<_> = scalars_of(scalars)?.iter().map(|scalar| scalar.into_bigint()).collect();
    Ok(bytes_of(&[msm::msm(&points, &scalars).into_affine()]))
}

/// Returns the difference of two lists of points of G1, point by point.
#[wasm_bindgen(js_name = differencesG1)]
pub fn differences_g1(minuends: &[u8], subtrahends: &[u8]) -> Result<Vec<u8>, JsError> {
    let (left, right) = (points_of::<g1::Config>(minuends)?, points_of::<g1::Config>(subtrahends)?);
    let differences: Vec<_> = left.iter().zip(&right).map(|(x, y)| x.into_group() - y).collect();
    Ok(bytes_of(&ark_bls12_381::G1Projective::normalize_batch(&differences)))
}

/// Returns whether e(p, b) = e(q, a), that is, q : p = b : a. All must be of order r; returns false for infinity.
#[wasm_bindgen(js_name = sameRatio)]
pub fn same_ratio(p: &[u8], q: &[u8], a: &[u8], b: &[u8]) -> bool {
    let g1 = |bytes: &[u8]| points::read_one::<g1::Config>(bytes).filter(|point: &G1Affine| !point.is_zero());
    let g2 = |bytes: &[u8]| points::read_one::<g2::Config>(bytes).filter(|point: &G2Affine| !point.is_zero());
    let (Some(p), Some(q), Some(a), Some(b)) = (g1(p), g1(q), g2(a), g2(b)) else { return false };
    Bls12_381::multi_pairing([p, -q], [b, a]).is_zero()
}

/// Returns the bytes that are hashed for points of G1.
#[wasm_bindgen(js_name = hashedG1)]
pub fn hashed_g1(points: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(points::hashed(&points_of::<g1::Config>(points)?))
}

/// Works like `hashedG1`, for G2.
#[wasm_bindgen(js_name = hashedG2)]
pub fn hashed_g2(points: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(points::hashed(&points_of::<g2::Config>(points)?))
}

/// Returns the generator of G1.
#[wasm_bindgen(js_name = generatorG1)]
pub fn generator_g1() -> Vec<u8> {
    bytes_of(&[G1Affine::generator()])
}

/// Returns the generator of G2.
#[wasm_bindgen(js_name = generatorG2)]
pub fn generator_g2() -> Vec<u8> {
    bytes_of(&[G2Affine::generator()])
}

/// Returns scalars from a seed of 32 bytes, uniform below r.
#[wasm_bindgen(js_name = randomScalars)]
pub fn random_scalars(seed: &[u8], count: usize) -> Result<Vec<u8>, JsError> {
    Ok(circuit::scalar_bytes(&circuit::random_scalars(seed_of(seed)?, count)))
}

/// Returns the coefficients of tau^k of a combination of section H's points, with one scalar each.
#[wasm_bindgen(js_name = hCombination)]
pub fn h_combination(scalars: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(circuit::scalar_bytes(&circuit::h_combination(&scalars_of(scalars)?)))
}

/// Returns the coefficients of tau^k of a combination of Lagrange polynomials. The number of scalars is a power of two.
#[wasm_bindgen(js_name = lagrangeCombination)]
pub fn lagrange_combination(scalars: &[u8]) -> Result<Vec<u8>, JsError> {
    let mut values = scalars_of(scalars)?;
    circuit::interpolate(&mut values);
    Ok(circuit::scalar_bytes(&values))
}

/// Returns the point of G2 that a contribution's challenge determines.
#[wasm_bindgen]
pub fn challenged(challenge: &[u8]) -> Result<Vec<u8>, JsError> {
    Ok(bytes_of(&[secret::challenged(challenge).ok_or_else(|| malformed("challenge is"))?]))
}

/// A contributor's secret, which must be deleted after use: `free` overwrites it.
#[wasm_bindgen]
pub struct Secret {
    secret: secret::Secret,
}

#[wasm_bindgen]
impl Secret {
    /// Derives the secret from a seed of 32 bytes.
    #[wasm_bindgen(constructor)]
    pub fn new(seed: &[u8]) -> Result<Secret, JsError> {
        let secret =
            secret::Secret::new(seed_of(seed)?).ok_or_else(|| JsError::new("seed gives no secret"))?;
        Ok(Secret { secret })
    }

    /// Returns two points of G1: s and x s.
    pub fn opening(&self) -> Vec<u8> {
        bytes_of(&self.secret.opening())
    }

    /// Returns the point of G2 that answers a challenge.
    pub fn answer(&self, challenge: &[u8]) -> Result<Vec<u8>, JsError> {
        Ok(bytes_of(&[self.secret.answer(challenge).ok_or_else(|| malformed("challenge is"))?]))
    }

    /// Returns a point of G1 times x.
    #[wasm_bindgen(js_name = timesG1)]
    pub fn times_g1(&self, point: &[u8]) -> Result<Vec<u8>, JsError> {
        let point = points::read_one(point).ok_or_else(|| malformed("point is"))?;
        Ok(bytes_of(&[self.secret.times_g1(&point)]))
    }

    /// Works like `timesG1`, for G2.
    #[wasm_bindgen(js_name = timesG2)]
    pub fn times_g2(&self, point: &[u8]) -> Result<Vec<u8>, JsError> {
        let point = points::read_one(point).ok_or_else(|| malformed("point is"))?;
        Ok(bytes_of(&[self.secret.times_g2(&point)]))
    }

    /// Returns points of G1 divided by x.
    pub fn divide(&self, points: &[u8]) -> Result<Vec<u8>, JsError> {
        self.secret.divide(points).ok_or_else(|| malformed("points are"))
    }
}

/// A constraint system.
#[wasm_bindgen]
pub struct Circuit {
    circuit: circuit::Circuit,
}

#[wasm_bindgen]
impl Circuit {
    /// Parses an `.r1cs` file.
    #[wasm_bindgen(constructor)]
    pub fn new(r1cs: &[u8]) -> Result<Circuit, JsError> {
        Ok(Circuit { circuit: circuit::Circuit::parse(r1cs)? })
    }

    #[wasm_bindgen(getter)]
    pub fn variables(&self) -> usize {
        self.circuit.variables
    }

    #[wasm_bindgen(getter)]
    pub fn public(&self) -> usize {
        self.circuit.public
    }

    #[wasm_bindgen(getter)]
    pub fn constraints(&self) -> usize {
        self.circuit.constraints
    }

    #[wasm_bindgen(getter)]
    pub fn domain(&self) -> usize {
        self.circuit.domain()
    }

    /// Returns section 4 of the `.zkey`.
    pub fn coefficients(&self) -> Vec<u8> {
        self.circuit.coefficients()
    }

    /// Returns the number of points of section `A`, `B1`, `B2`, `IC` or `L`.
    pub fn size(&self, section: &str) -> Result<usize, JsError> {
        Ok(self.circuit.size(section_of(section)?))
    }

    /// Returns a combination of a section's points as coefficients of powers of tau. For IC and L these are powers
    /// times beta, powers times alpha, and powers.
    pub fn combination(&self, section: &str, scalars: &[u8]) -> Result<Vec<u8>, JsError> {
        let combination = self.circuit.combination(section_of(section)?, &scalars_of(scalars)?);
        Ok(circuit::scalar_bytes(&combination))
    }

    /// Returns points `first` to `first + count` of section A, B1, IC or L, from the Lagrange polynomials at tau. For
    /// IC and L these are given times beta, then times alpha, then unchanged.
    #[wasm_bindgen(js_name = pointsG1)]
    pub fn points_g1(
        &self,
        section: &str,
        first: usize,
        count: usize,
        bases: &[u8],
    ) -> Result<Vec<u8>, JsError> {
        self.points::<g1::Config>(section, first, count, bases)
    }

    /// Works like `pointsG1`, for B2.
    #[wasm_bindgen(js_name = pointsG2)]
    pub fn points_g2(
        &self,
        section: &str,
        first: usize,
        count: usize,
        bases: &[u8],
    ) -> Result<Vec<u8>, JsError> {
        self.points::<g2::Config>(section, first, count, bases)
    }
}

impl Circuit {
    fn points<P: Curve<ScalarField = Fr>>(
        &self,
        section: &str,
        first: usize,
        count: usize,
        bases: &[u8],
    ) -> Result<Vec<u8>, JsError> {
        let bases = points_of::<P>(bases)?;
        let bases: Vec<&[Affine<P>]> = bases.chunks(self.circuit.domain()).collect();
        let points = self.circuit.points(section_of(section)?, first..first + count, &bases);
        Ok(bytes_of(&points.ok_or_else(|| malformed("points are"))?))
    }
}

fn section_of(name: &str) -> Result<Section, JsError> {
    Section::named(name).ok_or_else(|| JsError::new("no such section of a key"))
}
