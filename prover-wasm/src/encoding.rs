//! Points as bytes: uncompressed affine coordinates, each 48 bytes big endian. In the extension field c0 precedes c1,
//! as in snarkjs' JSON. The point at infinity is all zeros, which lies on neither curve.

use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{BigInt, PrimeField, Zero};

/// Bytes of a coordinate.
pub const FQ: usize = 48;
/// Bytes of a point of G1.
pub const G1: usize = 2 * FQ;
/// Bytes of a point of G2.
pub const G2: usize = 4 * FQ;
/// Bytes of a scalar.
pub const FR: usize = 32;

/// Reads 64-bit words, least significant first, from big-endian bytes. Returns `None` unless there are 8 N bytes.
fn words<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    let mut words = [0; N];
    if bytes.len() != 8 * N {
        return None;
    }
    for (word, chunk) in words.iter_mut().zip(bytes.rchunks_exact(8)) {
        *word = u64::from_be_bytes(chunk.try_into().ok()?);
    }
    Some(words)
}

/// Reads a coordinate; returns `None` unless it is below q.
fn fq(bytes: &[u8]) -> Option<Fq> {
    Fq::from_bigint(BigInt(words(bytes)?))
}

/// Reads a scalar; returns `None` unless it is below r.
pub fn fr(bytes: &[u8]) -> Option<Fr> {
    Fr::from_bigint(BigInt(words(bytes)?))
}

fn fq2(bytes: &[u8]) -> Option<Fq2> {
    let (c0, c1) = bytes.split_at_checked(FQ)?;
    Some(Fq2::new(fq(c0)?, fq(c1)?))
}

/// Reads a point on the curve, or infinity, but does not check its subgroup: for values that this module computed.
pub fn trusted_g1(bytes: &[u8]) -> Option<G1Affine> {
    let (x, y) = bytes.split_at_checked(FQ)?;
    let (x, y) = (fq(x)?, fq(y)?);
    if x.is_zero() && y.is_zero() {
        return Some(G1Affine::zero());
    }
    let point = G1Affine::new_unchecked(x, y);
    point.is_on_curve().then_some(point)
}

/// Works like [`trusted_g1`], for G2.
pub fn trusted_g2(bytes: &[u8]) -> Option<G2Affine> {
    let (x, y) = bytes.split_at_checked(2 * FQ)?;
    let (x, y) = (fq2(x)?, fq2(y)?);
    if x.is_zero() && y.is_zero() {
        return Some(G2Affine::zero());
    }
    let point = G2Affine::new_unchecked(x, y);
    point.is_on_curve().then_some(point)
}

/// Reads untrusted bytes as a point of G1 with canonical coordinates, on the curve and of order r. Rejects infinity.
pub fn g1(bytes: &[u8]) -> Option<G1Affine> {
    trusted_g1(bytes).filter(|point| !point.is_zero() && point.is_in_correct_subgroup_assuming_on_curve())
}

/// Works like [`g1`], for G2.
pub fn g2(bytes: &[u8]) -> Option<G2Affine> {
    trusted_g2(bytes).filter(|point| !point.is_zero() && point.is_in_correct_subgroup_assuming_on_curve())
}

fn push_fq(out: &mut Vec<u8>, x: &Fq) {
    for word in x.into_bigint().0.iter().rev() {
        out.extend_from_slice(&word.to_be_bytes());
    }
}

/// Appends a point of G1.
pub fn push_g1(out: &mut Vec<u8>, point: &G1Affine) {
    match point.xy() {
        Some((x, y)) => [x, y].iter().for_each(|c| push_fq(out, c)),
        None => out.extend_from_slice(&[0; G1]),
    }
}

/// Appends a point of G2.
pub fn push_g2(out: &mut Vec<u8>, point: &G2Affine) {
    match point.xy() {
        Some((x, y)) => [x.c0, x.c1, y.c0, y.c1].iter().for_each(|c| push_fq(out, c)),
        None => out.extend_from_slice(&[0; G2]),
    }
}
