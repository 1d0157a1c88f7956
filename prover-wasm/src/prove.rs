//! Creates a Groth16 proof (Groth, "On the Size of Pairing-based Non-interactive Arguments", 2016, section 3.2) in
//! pieces, which several workers can compute. Each piece can be split into parts, for more workers than pieces.
//!
//!   A  = alpha + sum w_i A_i + r delta                          in G1
//!   B  = beta  + sum w_i B_i + s delta                          in G2, and the same B1 in G1
//!   C  = sum w_i C_i + sum h_i H_i + s A + r B1 - r s delta     in G1
//!
//! r and s are fresh for each proof. Without them, equal witnesses would give equal proofs, and anyone could check a
//! guess of the witness against the proof.

use crate::{
    domain::{montgomery_product, to_odd_coset},
    encoding,
    field::Coordinate,
    msm::{Point, Scalar, msm},
    zkey::{Matrix, ProvingKey},
};
use ark_bls12_381::{Fr, G1Projective, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup, short_weierstrass::Projective};
use ark_ff::{BigInt, PrimeField, Zero};
use core::fmt;

/// The reason why a proof could not be created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProveError(&'static str);

impl fmt::Display for ProveError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl core::error::Error for ProveError {}

/// The sums of a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    A,
    B1,
    B2,
    C,
    H,
}

impl Piece {
    /// Returns the sum with this name on the JavaScript side.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "a" => Self::A,
            "b1" => Self::B1,
            "b2" => Self::B2,
            "c" => Self::C,
            "h" => Self::H,
            _ => return None,
        })
    }
}

/// Reads a witness as in section 2 of a `.wtns` file: 32 bytes little endian for each signal of the key.
pub fn parse_witness(key: &ProvingKey, bytes: &[u8]) -> Result<Vec<Scalar>, ProveError> {
    if bytes.len() != key.variables * encoding::FR {
        return Err(ProveError("witness is of another circuit"));
    }
    let witness: Vec<Scalar> = bytes
        .chunks_exact(encoding::FR)
        .map(|chunk| {
            let mut words = [0; 4];
            for (word, bytes) in words.iter_mut().zip(chunk.chunks_exact(8)) {
                *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            }
            BigInt(words)
        })
        .collect();
    if witness.first() != Some(&BigInt::one()) {
        return Err(ProveError("witness does not begin with 1"));
    }
    if witness.iter().any(|value| *value >= Fr::MODULUS) {
        return Err(ProveError("witness holds a value that is no field element"));
    }
    Ok(witness)
}

/// Part `index` of the `count` parts of a piece's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    index: usize,
    count: usize,
}

impl Part {
    /// Returns `None` unless `index` is below `count`, and `count` is below 2^16.
    pub fn new(index: usize, count: usize) -> Option<Self> {
        (index < count && count < 1 << 16).then_some(Self { index, count })
    }

    fn of<'a, T>(&self, all: &'a [T]) -> &'a [T] {
        let begin = |index: usize| (all.len() as u64 * index as u64 / self.count as u64) as usize;
        &all[begin(self.index)..begin(self.index + 1)]
    }
}

/// Returns part of a sum, unblinded, as an uncompressed point. `witness` is from [`parse_witness`] for the same key.
pub fn piece(key: &ProvingKey, piece: Piece, part: Part, witness: &[Scalar]) -> Vec<u8> {
    let private = witness.get(key.public + 1..).unwrap_or_default();
    let first = part.index == 0;
    let mut out = Vec::with_capacity(encoding::G2);
    let sum = match piece {
        Piece::A => part_of_msm(&key.a, witness, part) + constant(key.alpha_g1, first),
        Piece::B1 => part_of_msm(&key.b_g1, witness, part) + constant(key.beta_g1, first),
        Piece::C => part_of_msm(&key.c, private, part),
        Piece::H => part_of_msm(&key.h, &quotient(key, witness), part),
        Piece::B2 => {
            let sum = part_of_msm(&key.b_g2, witness, part) + constant(key.beta_g2, first);
            encoding::push_g2(&mut out, &sum.into_affine());
            return out;
        }
    };
    encoding::push_g1(&mut out, &sum.into_affine());
    out
}

/// Both lists have the same length.
fn part_of_msm<F: Coordinate>(points: &[Point<F>], scalars: &[Scalar], part: Part) -> Projective<F::Curve> {
    msm(part.of(points), part.of(scalars))
}

/// Returns the constant term of a sum for the first part, and zero for the others.
fn constant<P: AffineRepr>(point: P, first: bool) -> P {
    if first { point } else { P::zero() }
}

/// Returns a b - c on the odd coset of the domain, where a, b and c interpolate the left, right and output values of
/// the constraints. There the vanishing polynomial is a constant; the key's H points include its inverse.
fn quotient(key: &ProvingKey, witness: &[Scalar]) -> Vec<Scalar> {
    let mut a = vec![Fr::zero(); key.domain];
    let mut b = vec![Fr::zero(); key.domain];
    for entry in &key.coefficients {
        // The reader of the key has checked both indices against the sizes of these vectors.
        let term = montgomery_product(entry.value, witness[entry.signal as usize]);
        match entry.matrix {
            Matrix::A => a[entry.constraint as usize] += term,
            Matrix::B => b[entry.constraint as usize] += term,
        }
    }
    let mut c: Vec<Fr> = a.iter().zip(&b).map(|(a, b)| *a * b).collect();
    for values in [&mut a, &mut b, &mut c] {
        to_odd_coset(values);
    }
    a.iter().zip(&b).zip(&c).map(|((a, b), c)| (*a * b - c).into_bigint()).collect()
}

/// The random scalars r and s.
pub struct Blinding {
    r: Fr,
    s: Fr,
}

impl Blinding {
    /// Bytes of randomness for both; with 384 bits each, the bias after reduction is below 2^-128.
    pub const BYTES: usize = 96;

    /// Reads exactly [`Blinding::BYTES`] fresh random bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ProveError> {
        if bytes.len() != Self::BYTES {
            return Err(ProveError("blinding takes 96 random bytes"));
        }
        let (r, s) = bytes.split_at(Self::BYTES / 2);
        Ok(Self { r: Fr::from_be_bytes_mod_order(r), s: Fr::from_be_bytes_mod_order(s) })
    }
}

/// Joins the pieces [a, b1, c, h] and b2 to A, B, C, uncompressed: 384 bytes. The parts of a piece follow one another.
pub fn assemble(
    key: &ProvingKey,
    g1: [&[u8]; 4],
    b2: &[u8],
    Blinding { r, s }: &Blinding,
) -> Result<Vec<u8>, ProveError> {
    const MALFORMED: ProveError = ProveError("piece of a proof is malformed");
    let mut sums = [G1Projective::zero(); 4];
    for (sum, parts) in sums.iter_mut().zip(g1) {
        for part in parts.chunks(encoding::G1) {
            *sum += encoding::trusted_g1(part).ok_or(MALFORMED)?;
        }
    }
    let [a, b1, c, h] = sums;
    let mut b2_sum = G2Projective::zero();
    for part in b2.chunks(encoding::G2) {
        b2_sum += encoding::trusted_g2(part).ok_or(MALFORMED)?;
    }

    let delta: G1Projective = key.delta_g1.into();
    let delta_g2: G2Projective = key.delta_g2.into();
    let proof_a = delta.mul_bigint(r.into_bigint()) + a;
    let proof_b = delta_g2.mul_bigint(s.into_bigint()) + b2_sum;
    let b1 = delta.mul_bigint(s.into_bigint()) + b1;
    let proof_c = proof_a.mul_bigint(s.into_bigint()) + b1.mul_bigint(r.into_bigint())
        - delta.mul_bigint((*r * s).into_bigint())
        + c
        + h;

    let mut out = Vec::with_capacity(2 * encoding::G1 + encoding::G2);
    encoding::push_g1(&mut out, &proof_a.into_affine());
    encoding::push_g2(&mut out, &proof_b.into_affine());
    encoding::push_g1(&mut out, &proof_c.into_affine());
    Ok(out)
}
