//! Affine points with this crate's coordinates.

use crate::field::{Ark, Coordinate};
use ark_ec::{AffineRepr, short_weierstrass::Affine};

/// A point with stored coordinates. Infinity is (0, 0), which lies on neither curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point<F> {
    pub x: F,
    pub y: F,
}

impl<F: Coordinate> Point<F> {
    pub const INFINITY: Self = Self { x: F::ZERO, y: F::ZERO };

    #[inline(always)]
    pub fn is_infinity(&self) -> bool {
        self.x.is_plain_zero() && self.y.is_plain_zero()
    }

    /// Returns the point in arkworks' representation.
    pub fn to_ark(&self) -> Affine<F::Curve> {
        if self.is_infinity() {
            return Affine::zero();
        }
        Affine::new_unchecked(self.x.to_ark(), self.y.to_ark())
    }
}

impl<F: Coordinate> From<Affine<F::Curve>> for Point<F> {
    fn from(point: Affine<F::Curve>) -> Self {
        let coordinates: Option<(Ark<F>, Ark<F>)> = point.xy();
        coordinates.map_or(Self::INFINITY, |(x, y)| Self { x: F::from_ark(&x), y: F::from_ark(&y) })
    }
}
