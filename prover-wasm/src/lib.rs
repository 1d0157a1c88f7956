//! Groth16 over BLS12-381 for WebAssembly: creates proofs from a snarkjs `.zkey` and a witness, and verifies proofs.
//! This file is the boundary to JavaScript and contains no arithmetic. Each function answers invalid input with an
//! error or `false`: nothing here may trap, because a trap ends the whole worker.
//!
//! Points cross the boundary uncompressed; coordinates are big endian, 48 bytes each ([`encoding`]). Field elements of
//! the witness are little endian as in a `.wtns` file, public signals big endian.
//!
//! # Design
//!
//! Nine tenths of a proof are five sums of scalar multiples, four in G1 and one in G2. This crate has its own code for
//! them, which is 2.7 (G1) and 3.8 times (G2) as fast as arkworks' in WebAssembly:
//! - [`field`] stores coordinates in thirteen balanced limbs of 30 bits, in Montgomery form with R = 2^390. WebAssembly
//!   has no 64 by 64 bit product. Columns of 30-bit products fit in 64 bits without a carry, and sums of elements need
//!   no reduction, unlike with saturated limbs. The gain is 1.75 times in G1 and 2.3 times in G2. For engines with wide
//!   arithmetic, which has that product, the feature `wide` builds the same code with seven limbs of 56 bits.
//! - [`msm`] uses Pippenger's buckets with signed digits, affine additions that share inversions, and affine trees that
//!   weigh the buckets. The gain is about 1.6 times.
//!
//! The main risk is bounds, because limbs and values are never fully reduced. Each operation states its bounds; debug
//! builds assert them and panic on overflow. `cargo test` (without `--release`) tests the extremes.
//!
//! arkworks does the rest: the scalar field and its transforms, single points, and pairings. The tests compare with it.
//! These were measured and left out, because they gain only a few hundredths: the curve's endomorphisms, tables of a
//! key's multiples, and one sum for C and H. simd128 is used for carries, where it gains a twentieth; products are the
//! bottleneck, and it has no instruction that speeds them up.

pub mod domain;
pub mod encoding;
pub mod excerpt;
pub mod field;
pub mod fixed_bases;
pub mod msm;
pub mod prove;
pub mod verify;
pub mod zkey;

use prove::{Part, Piece};
use verify::PreparedKey;
use wasm_bindgen::prelude::*;
use zkey::ProvingKey;

/// A parsed proving key, from which excerpts are made.
#[wasm_bindgen]
pub struct Key {
    key: ProvingKey,
}

#[wasm_bindgen]
impl Key {
    /// Parses a snarkjs `.zkey`. Throws if it is cut short or for another curve or protocol.
    #[wasm_bindgen(constructor)]
    pub fn new(zkey: &[u8]) -> Result<Key, JsError> {
        Ok(Key { key: ProvingKey::parse(zkey)? })
    }

    /// Returns the excerpt for [`piece`] of one of a proof's five sums, `a`, `b1`, `b2`, `c` or `h`, or the excerpt
    /// `joint` for [`assemble`]. Only instances of this same module can read it.
    pub fn excerpt(&self, name: &str) -> Result<Vec<u8>, JsError> {
        let piece = match name {
            "joint" => None,
            _ => Some(Piece::named(name).ok_or_else(|| JsError::new("no such piece of a proof"))?),
        };
        Ok(self.key.excerpt(piece))
    }
}

/// Returns the sum that an excerpt is for, as an uncompressed point, or the part `part` of `parts` of its terms. The
/// sum is unblinded: it must not leave the process.
#[wasm_bindgen]
pub fn piece(excerpt: &[u8], part: u32, parts: u32, witness: &[u8]) -> Result<Vec<u8>, JsError> {
    let part =
        Part::new(part as usize, parts as usize).ok_or_else(|| JsError::new("no such part of a piece"))?;
    let (piece, key) = ProvingKey::from_excerpt(excerpt)?;
    let piece = piece.ok_or_else(|| JsError::new("no excerpt for a piece of a proof"))?;
    let witness = prove::parse_witness(&key, witness)?;
    Ok(prove::piece(&key, piece, part, &witness))
}

/// Joins the pieces (each with its parts one after another), blinds them with 96 bytes of fresh randomness, and returns
/// A, B, C: 384 bytes. Accepts any excerpt of the key.
#[wasm_bindgen]
pub fn assemble(
    excerpt: &[u8],
    a: &[u8],
    b1: &[u8],
    b2: &[u8],
    c: &[u8],
    h: &[u8],
    randomness: &[u8],
) -> Result<Vec<u8>, JsError> {
    let blinding = prove::Blinding::from_bytes(randomness)?;
    let (_, key) = ProvingKey::from_excerpt(excerpt)?;
    Ok(prove::assemble(&key, [a, b1, c, h], b2, &blinding)?)
}

/// A verification key with its pairing of alpha and beta and the lines of gamma and delta precomputed.
#[wasm_bindgen]
pub struct Verifier {
    key: PreparedKey,
}

#[wasm_bindgen]
impl Verifier {
    /// Parses alpha, beta, gamma, delta and the points of the public inputs, one after another, uncompressed.
    #[wasm_bindgen(constructor)]
    pub fn new(key: &[u8]) -> Result<Verifier, JsError> {
        PreparedKey::parse(key)
            .map(|key| Verifier { key })
            .ok_or_else(|| JsError::new("verification key is malformed"))
    }

    /// Returns whether the 384 bytes of `proof` prove these public signals (32 bytes each, big endian).
    pub fn verify(&self, proof: &[u8], signals: &[u8]) -> bool {
        self.key.verify(proof, signals)
    }
}
