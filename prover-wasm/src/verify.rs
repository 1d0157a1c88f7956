//! Verifies untrusted proofs: e(A, B) = e(alpha, beta) e(sum x_i IC_i, gamma) e(C, delta). Returns `false` for
//! malformed proofs. Rejects infinity, which no honest proof contains.

use crate::{encoding, fixed_bases::FixedBases};
use ark_bls12_381::{Bls12_381, Fr, G1Affine, G1Projective, G2Affine};
use ark_ec::{
    CurveGroup,
    bls12::Bls12,
    pairing::{Pairing, PairingOutput},
};

type G2Prepared = <Bls12<ark_bls12_381::Config> as Pairing>::G2Prepared;

/// A verification key with precomputed values for everything that does not depend on the proof.
pub struct PreparedKey {
    alpha_beta: PairingOutput<Bls12_381>,
    minus_gamma: G2Prepared,
    minus_delta: G2Prepared,
    /// The point for the constant 1.
    constant: G1Affine,
    /// The points for the public signals.
    inputs: FixedBases,
}

impl PreparedKey {
    /// Parses alpha (G1), beta, gamma, delta (G2), then at least one point of G1, all uncompressed.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let (alpha, rest) = bytes.split_at_checked(encoding::G1)?;
        let (beta, rest) = rest.split_at_checked(encoding::G2)?;
        let (gamma, rest) = rest.split_at_checked(encoding::G2)?;
        let (delta, rest) = rest.split_at_checked(encoding::G2)?;
        if rest.is_empty() || rest.len() % encoding::G1 != 0 {
            return None;
        }
        let ic: Vec<G1Affine> = rest.chunks_exact(encoding::G1).map(encoding::g1).collect::<Option<_>>()?;
        let (constant, inputs) = ic.split_first()?;
        let minus = |bytes| -> Option<G2Prepared> { Some((-encoding::g2(bytes)?).into()) };
        Some(Self {
            alpha_beta: Bls12_381::pairing(encoding::g1(alpha)?, encoding::g2(beta)?),
            minus_gamma: minus(gamma)?,
            minus_delta: minus(delta)?,
            constant: *constant,
            inputs: FixedBases::new(inputs),
        })
    }

    /// Returns whether `proof` (A, B, C, 384 bytes) proves `signals` (32 bytes each, big endian, below r, exactly as many
    /// as the key requires).
    pub fn verify(&self, proof: &[u8], signals: &[u8]) -> bool {
        self.check(proof, signals).unwrap_or(false)
    }

    fn check(&self, proof: &[u8], signals: &[u8]) -> Option<bool> {
        if signals.len() != self.inputs.count() * encoding::FR {
            return None;
        }
        let signals: Vec<Fr> = signals.chunks_exact(encoding::FR).map(encoding::fr).collect::<Option<_>>()?;

        let (a, rest) = proof.split_at_checked(encoding::G1)?;
        let (b, c) = rest.split_at_checked(encoding::G2)?;
        let (a, b, c): (G1Affine, G2Affine, G1Affine) =
            (encoding::g1(a)?, encoding::g2(b)?, encoding::g1(c)?);

        let public: G1Projective = self.inputs.sum(&signals) + self.constant;

        let product = Bls12_381::multi_miller_loop(
            [a, public.into_affine(), c],
            [b.into(), self.minus_gamma.clone(), self.minus_delta.clone()],
        );
        Some(Bls12_381::final_exponentiation(product)? == self.alpha_beta)
    }
}
