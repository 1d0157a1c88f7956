//! The base field of BLS12-381 and its quadratic extension, for sums of points. Limbs are carried and reduced only as
//! often as their bounds require. arkworks does everything else (inverses, and all operations on points but these
//! sums), and the tests compare with it.

mod fq;
mod fq2;
mod kernels;
pub mod limbs;

use ark_ec::short_weierstrass::SWCurveConfig;
pub use fq::Fq;
pub use fq2::Fq2;

/// The type of arkworks for a coordinate of the curve whose coordinates are `F`.
pub type Ark<F> = <<F as Coordinate>::Curve as ark_ec::CurveConfig>::BaseField;

/// A coordinate: an element of the field of a curve. [`limbs`] defines the bounds; for the extension they apply to each
/// part.
pub trait Coordinate: Copy {
    type Curve: SWCurveConfig;

    const ZERO: Self;
    const ONE: Self;

    /// Returns a stored element.
    fn from_ark(x: &Ark<Self>) -> Self;
    /// Accepts a size below 1.
    fn to_ark(&self) -> Ark<Self>;

    /// Multiplies carried operands. The product is carried and, for operands of sizes below 1.7, of a size below 0.51.
    fn times(&self, other: &Self) -> Self;
    /// Returns the square; bounds as for [`Coordinate::times`].
    fn squared(&self) -> Self;
    /// Multiplies the difference of two carried operands by a carried element. In the base field the difference need
    /// not be carried; in the extension it must be. Bounds as for [`Coordinate::times`].
    fn difference_times(&self, subtrahend: &Self, factor: &Self) -> Self;
    /// Returns the difference of two carried operands, carried. Sizes add up.
    fn minus(&self, other: &Self) -> Self;
    /// Subtracts two stored elements from a carried one of a size below 0.51; stored, because sizes are below 1.52.
    fn minus_two(&self, one: &Self, other: &Self) -> Self;
    /// Subtracts a stored element from a carried one of a size below 0.51. The result is stored.
    fn minus_stored(&self, other: &Self) -> Self;
    /// Returns twice a stored element: carried, of a size below 1.01.
    fn doubled(&self) -> Self;
    /// Returns three times a carried element of a size below 0.51: carried, of a size below 1.53.
    fn tripled(&self) -> Self;
    /// Returns the negated element. A carried element stays carried, a stored one stored.
    fn negated(&self) -> Self;
    /// Returns the inverse, stored, and zero for zero. Accepts a size below 1.
    fn inverse(&self) -> Self;
    /// Returns whether a carried element of a size below 1.9 is zero.
    fn is_zero(&self) -> bool;
    /// Returns whether all limbs are zero, as they are in a stored zero.
    fn is_plain_zero(&self) -> bool;
}
