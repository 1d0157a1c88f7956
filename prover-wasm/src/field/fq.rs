//! The base field.

use super::{
    Coordinate, kernels,
    limbs::{self, LIMBS, Limbs, RADIX_BITS, add, balanced, carry, power_of_two, store, subtract},
};
use ark_bls12_381::Fq as ArkFq;
use ark_ff::{BigInt, Field};

/// An element of the base field; see [`limbs`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fq(pub Limbs);

impl Fq {
    /// Stores the difference of three operands, subtracted limb by limb. Callers keep to the bounds of [`store`].
    #[inline(always)]
    pub(super) fn stored(limbs: Limbs) -> Self {
        Self(store(limbs))
    }
}

impl Coordinate for Fq {
    type Curve = ark_bls12_381::g1::Config;

    const ZERO: Self = Self([0; LIMBS]);
    const ONE: Self = Self(power_of_two(RADIX_BITS));

    /// arkworks stores 2^384 x, of a size below 1: (2^384 x) (R^2 / 2^384) / R = R x.
    fn from_ark(x: &ArkFq) -> Self {
        const FROM_ARK: Limbs = power_of_two(2 * RADIX_BITS - 384);
        Self::stored(kernels::multiply(&balanced(x.0.0), &FROM_ARK))
    }

    /// (R x) 2^384 / R has a size below 0.51, as [`limbs::canonical`] requires.
    fn to_ark(&self) -> ArkFq {
        const TO_ARK: Limbs = power_of_two(384);
        ArkFq::new_unchecked(BigInt(limbs::canonical(&kernels::multiply(&self.0, &TO_ARK))))
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        Self(kernels::multiply(&self.0, &other.0))
    }

    #[inline(always)]
    fn squared(&self) -> Self {
        Self(kernels::square(&self.0))
    }

    /// The difference has two units; a product allows this for one operand.
    #[inline(always)]
    fn difference_times(&self, subtrahend: &Self, factor: &Self) -> Self {
        Self(kernels::multiply(&subtract(&self.0, &subtrahend.0), &factor.0))
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        Self(carry(subtract(&self.0, &other.0)))
    }

    #[inline(always)]
    fn minus_two(&self, one: &Self, other: &Self) -> Self {
        Self::stored(subtract(&subtract(&self.0, &one.0), &other.0))
    }

    #[inline(always)]
    fn minus_stored(&self, other: &Self) -> Self {
        Self::stored(subtract(&self.0, &other.0))
    }

    #[inline(always)]
    fn doubled(&self) -> Self {
        Self(carry(add(&self.0, &self.0)))
    }

    #[inline(always)]
    fn tripled(&self) -> Self {
        Self(carry(add(&add(&self.0, &self.0), &self.0)))
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        Self(self.0.map(|limb| -limb))
    }

    fn inverse(&self) -> Self {
        Self::from_ark(&self.to_ark().inverse().unwrap_or_default())
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        limbs::is_zero(&self.0)
    }

    #[inline(always)]
    fn is_plain_zero(&self) -> bool {
        self.0[0] == 0 && self.0 == [0; LIMBS]
    }
}
