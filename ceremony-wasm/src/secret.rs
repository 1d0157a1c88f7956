//! A contribution's secret x, delta' = x delta, and the proof that the contributor knew x (Bowe, Gabizon, Miers,
//! "Scalable Multi-party Computation for zk-SNARK Parameters in the Random Beacon Model", 2017, section 4):
//!
//!   s and x s in G1, s of unknown logarithm; a challenge c, the hash of everything before and of these two points;
//!   p in G2 drawn from c, and x p.
//!
//! Values derived from the seed must not outlive their use: each type here overwrites its values when it is dropped.

use crate::{points, random::ChaCha, scale::Scaler};
use ark_bls12_381::{Fr, G1Affine, G2Affine};
use ark_ec::{AffineRepr, CurveGroup};
use ark_ff::{Field, PrimeField, Zero};
use zeroize::Zeroize;

/// The secret x, and the point s.
pub struct Secret {
    x: Fr,
    s: G1Affine,
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.x.zeroize();
    }
}

impl Secret {
    /// Derives x, then s, from the seed. Returns `None` for an x of 0 or 1, which would change nothing.
    pub fn new(seed: &[u8; 32]) -> Option<Self> {
        let mut rng = ChaCha::new(seed);
        let secret = Self { x: rng.scalar(), s: rng.g1() };
        (!secret.x.is_zero() && secret.x != Fr::ONE && !secret.s.is_zero()).then_some(secret)
    }

    /// Returns s and x s.
    pub fn opening(&self) -> [G1Affine; 2] {
        [self.s, self.times_g1(&self.s)]
    }

    /// Returns x p, with p derived from the challenge.
    pub fn answer(&self, challenge: &[u8]) -> Option<G2Affine> {
        Some(self.times_g2(&challenged(challenge)?))
    }

    pub fn times_g1(&self, point: &G1Affine) -> G1Affine {
        point.mul_bigint(self.x.into_bigint()).into_affine()
    }

    pub fn times_g2(&self, point: &G2Affine) -> G2Affine {
        point.mul_bigint(self.x.into_bigint()).into_affine()
    }

    /// Returns the points divided by x, or `None` if they are malformed.
    pub fn divide(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        let points: Vec<_> = points::read(bytes)?.into_iter().map(crate::msm::G1::from).collect();
        let mut inverse = self.x.inverse()?;
        let scaled = Scaler::new(&inverse).scale(&points);
        inverse.zeroize();
        let mut out = Vec::with_capacity(bytes.len());
        scaled.iter().for_each(|point| points::write(&mut out, &point.to_ark()));
        Some(out)
    }
}

/// Returns p, derived from the first 32 of the challenge's 64 bytes.
pub fn challenged(challenge: &[u8]) -> Option<G2Affine> {
    Some(ChaCha::new(challenge.first_chunk()?).g2())
}
