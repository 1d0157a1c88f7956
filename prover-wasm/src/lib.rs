//! Groth16 over BLS12-381 for WebAssembly: proofs from a snarkjs `.zkey` and a witness, and their verification.
//! This file is the boundary to JavaScript and holds no arithmetic. Every input that can be wrong is answered with an
//! error or `false`: nothing here may trap, because a trap costs the whole worker.
//!
//! Points cross the boundary uncompressed, coordinates big endian, 48 bytes each ([`encoding`]); field elements of the
//! witness are little endian as in a `.wtns` file, public signals big endian.
//!
//! # Design
//!
//! Nine tenths of a proof are five sums of scalar multiples, four in G1 and one in G2. These are our own, because they
//! are 2.7 (G1) and 3.8 times (G2) as fast as arkworks' in WebAssembly:
//! - [`field`]: coordinates in thirteen balanced limbs of 30 bits, Montgomery form with R = 2^390. WebAssembly has no
//!   64 by 64 bit product; here the columns of 30-bit products fit 64 bits without a carry, and sums of elements need
//!   none of the reductions that saturated limbs do. About 1.75 times in G1 and 2.3 times in G2. For engines with wide
//!   arithmetic, which has that product, the feature `wide` builds the same with seven limbs of 56 bits.
//! - [`msm`]: Pippenger's buckets with signed digits, affine additions that share inversions, buckets weighed by affine
//!   trees. About 1.6 times.
//!
//! The difficulty is bounds: limbs and values are never fully reduced, so each operation states what it takes and what
//! it gives, debug builds assert it, and overflow panics there. `cargo test` (without `--release`) drives the extremes.
//!
//! All else is arkworks': the scalar field and the transforms over it, single points, pairings; and it is what the tests
//! compare with. Measured and left out, for gains of a few hundredths: the curve's endomorphisms, tables of a key's
//! multiples, one sum for C and H. simd128 is used for carries, where it gains a twentieth; products are the limit, and
//! it has none that help.

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

/// A parsed proving key, to take excerpts of.
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

/// The sum that an excerpt is for, as an uncompressed point; or the part `part` of `parts` of its terms. Unblinded: it
/// must not leave the process.
#[wasm_bindgen]
pub fn piece(excerpt: &[u8], part: u32, parts: u32, witness: &[u8]) -> Result<Vec<u8>, JsError> {
    let part =
        Part::new(part as usize, parts as usize).ok_or_else(|| JsError::new("no such part of a piece"))?;
    let (piece, key) = ProvingKey::from_excerpt(excerpt)?;
    let piece = piece.ok_or_else(|| JsError::new("no excerpt for a piece of a proof"))?;
    let witness = prove::parse_witness(&key, witness)?;
    Ok(prove::piece(&key, piece, part, &witness))
}

/// Joins the pieces (the parts of each one after another), blinds them with 96 bytes of fresh randomness, and returns
/// A, B, C: 384 bytes. Any excerpt of the key is suitable.
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

/// A verification key with its pairing of alpha and beta done and the lines of gamma and delta prepared.
#[wasm_bindgen]
pub struct Verifier {
    key: PreparedKey,
}

#[wasm_bindgen]
impl Verifier {
    /// From alpha, beta, gamma, delta and the points of the public inputs, one after another, uncompressed.
    #[wasm_bindgen(constructor)]
    pub fn new(key: &[u8]) -> Result<Verifier, JsError> {
        PreparedKey::parse(key)
            .map(|key| Verifier { key })
            .ok_or_else(|| JsError::new("verification key is malformed"))
    }

    /// Whether the 384 bytes of `proof` prove these public signals (32 bytes each, big endian).
    pub fn verify(&self, proof: &[u8], signals: &[u8]) -> bool {
        self.key.verify(proof, signals)
    }
}
