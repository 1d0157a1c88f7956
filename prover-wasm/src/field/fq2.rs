//! The quadratic extension, c0 + c1 u with u^2 = -1.

use super::{
    Coordinate, Fq, kernels,
    limbs::{Limbs, add, carry, subtract},
};
use ark_bls12_381::Fq2 as ArkFq2;
use ark_ff::Field;

/// An element of the extension, as [c0, c1].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fq2(pub [Limbs; 2]);

impl Fq2 {
    /// Applies the same change to both parts.
    #[inline(always)]
    fn each(&self, change: impl Fn(&Fq) -> Fq) -> Self {
        let [c0, c1] = &self.0;
        Self([change(&Fq(*c0)).0, change(&Fq(*c1)).0])
    }
}

impl Coordinate for Fq2 {
    type Curve = ark_bls12_381::g2::Config;

    const ZERO: Self = Self([Fq::ZERO.0; 2]);
    const ONE: Self = Self([Fq::ONE.0, Fq::ZERO.0]);

    fn from_ark(x: &ArkFq2) -> Self {
        Self([Fq::from_ark(&x.c0).0, Fq::from_ark(&x.c1).0])
    }

    fn to_ark(&self) -> ArkFq2 {
        ArkFq2::new(Fq(self.0[0]).to_ark(), Fq(self.0[1]).to_ark())
    }

    #[inline(always)]
    fn times(&self, other: &Self) -> Self {
        Self(kernels::multiply_fq2(&self.0, &other.0))
    }

    /// Computes (c0 + c1)(c0 - c1) + 2 c0 c1 u. In each product one operand has two units and the other is carried. For
    /// a size of 0.51 the result's size is below 0.5001 + 0.0016 * 1.02 * 1.02 < 0.51.
    #[inline(always)]
    fn squared(&self) -> Self {
        let [c0, c1] = &self.0;
        Self([kernels::multiply(&carry(add(c0, c1)), &subtract(c0, c1)), kernels::multiply(&add(c0, c0), c1)])
    }

    #[inline(always)]
    fn difference_times(&self, subtrahend: &Self, factor: &Self) -> Self {
        self.minus(subtrahend).times(factor)
    }

    #[inline(always)]
    fn minus(&self, other: &Self) -> Self {
        let [[x0, x1], [y0, y1]] = [&self.0, &other.0];
        Self([carry(subtract(x0, y0)), carry(subtract(x1, y1))])
    }

    #[inline(always)]
    fn minus_two(&self, one: &Self, other: &Self) -> Self {
        let [[x0, x1], [y0, y1], [z0, z1]] = [&self.0, &one.0, &other.0];
        let minus_two = |x, y, z| Fq::stored(subtract(&subtract(x, y), z)).0;
        Self([minus_two(x0, y0, z0), minus_two(x1, y1, z1)])
    }

    #[inline(always)]
    fn minus_stored(&self, other: &Self) -> Self {
        let [[x0, x1], [y0, y1]] = [&self.0, &other.0];
        Self([Fq::stored(subtract(x0, y0)).0, Fq::stored(subtract(x1, y1)).0])
    }

    #[inline(always)]
    fn doubled(&self) -> Self {
        self.each(Fq::doubled)
    }

    #[inline(always)]
    fn tripled(&self) -> Self {
        self.each(Fq::tripled)
    }

    #[inline(always)]
    fn negated(&self) -> Self {
        self.each(Fq::negated)
    }

    fn inverse(&self) -> Self {
        Self::from_ark(&self.to_ark().inverse().unwrap_or_default())
    }

    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.0.iter().all(|part| Fq(*part).is_zero())
    }

    #[inline(always)]
    fn is_plain_zero(&self) -> bool {
        self.0.iter().all(|part| Fq(*part).is_plain_zero())
    }
}
