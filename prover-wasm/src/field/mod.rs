//! The base field of BLS12-381 and its quadratic extension for sums of points: limbs are only carried and reduced as often
//! as their bounds require. arkworks does everything else (inverses, and all but the sums of points), and the tests
//! compare with it.

mod fq;
mod fq2;
mod kernels;
pub mod limbs;

use ark_ec::short_weierstrass::SWCurveConfig;
pub use fq::Fq;
pub use fq2::Fq2;

/// An arkworks coordinate of the curve whose coordinates are `F`.
pub type Ark<F> = <<F as Coordinate>::Curve as ark_ec::CurveConfig>::BaseField;

/// A coordinate: an element of the field that a curve is over. Bounds are those of [`limbs`]; those of an extension are
/// its parts'.
pub trait Coordinate: Copy {
    type Curve: SWCurveConfig;

    const ZERO: Self;
    const ONE: Self;

    /// Stored.
    fn from_ark(x: &Ark<Self>) -> Self;
    /// Takes a size below 1.
    fn to_ark(&self) -> Ark<Self>;

    /// A product, of carried operands: carried, and of a size below 0.51 for operands of sizes below 1.7.
    fn times(&self, other: &Self) -> Self;
    /// As [`Coordinate::times`].
    fn squared(&self) -> Self;
    /// The product of two carried operands' difference with a carried element. The difference need not be carried in
    /// the base field; in the extension it must. Bounds as [`Coordinate::times`].
    fn difference_times(&self, subtrahend: &Self, factor: &Self) -> Self;
    /// The difference of two carried operands, carried. Sizes add up.
    fn minus(&self, other: &Self) -> Self;
    /// The difference of a carried element of a size below 0.51 and two stored ones, stored: sizes are below 1.52.
    fn minus_two(&self, one: &Self, other: &Self) -> Self;
    /// The difference of a carried element of a size below 0.51 and a stored one, stored.
    fn minus_stored(&self, other: &Self) -> Self;
    /// Twice a stored element: carried, of a size below 1.01.
    fn doubled(&self) -> Self;
    /// Three times a carried element of a size below 0.51: carried, of a size below 1.53.
    fn tripled(&self) -> Self;
    /// Carried and stored stay so.
    fn negated(&self) -> Self;
    /// Zero for zero. Takes a size below 1, returns a stored element.
    fn inverse(&self) -> Self;
    /// Takes a carried element of a size below 1.9.
    fn is_zero(&self) -> bool;
    /// Whether all limbs are zero, as they are of a stored zero.
    fn is_plain_zero(&self) -> bool;
}
