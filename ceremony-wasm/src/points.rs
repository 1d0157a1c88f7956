//! Points in the format of `.ptau` and `.zkey` files: affine, coordinates little endian in Montgomery form with R =
//! 2^384 (as in arkworks), c0 before c1, infinity as zeros. Hashes are over a second format: big endian, c1 before c0,
//! not in Montgomery form (ffjavascript, `LEMtoU`).

use ark_bls12_381::{Fq, Fq2};
use ark_ec::{
    AffineRepr,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_ff::{BigInt, PrimeField, Zero};

/// The number of bytes of a base field element.
pub const FQ: usize = 48;

/// A coordinate that can be read from bytes and written.
pub trait Coded: Sized {
    const BYTES: usize;

    /// Returns `None` if the value is not below the modulus.
    fn read(bytes: &[u8]) -> Option<Self>;
    fn write(&self, out: &mut Vec<u8>);
    /// Appends the format that is hashed.
    fn write_plain(&self, out: &mut Vec<u8>);
}

impl Coded for Fq {
    const BYTES: usize = FQ;

    fn read(bytes: &[u8]) -> Option<Self> {
        let montgomery = BigInt(words(bytes)?);
        (montgomery < Fq::MODULUS).then(|| Fq::new_unchecked(montgomery))
    }

    fn write(&self, out: &mut Vec<u8>) {
        self.0.0.iter().for_each(|word| out.extend(word.to_le_bytes()));
    }

    fn write_plain(&self, out: &mut Vec<u8>) {
        self.into_bigint().0.iter().rev().for_each(|word| out.extend(word.to_be_bytes()));
    }
}

impl Coded for Fq2 {
    const BYTES: usize = 2 * FQ;

    fn read(bytes: &[u8]) -> Option<Self> {
        let (c0, c1) = bytes.split_at_checked(FQ)?;
        Some(Fq2::new(Fq::read(c0)?, Fq::read(c1)?))
    }

    fn write(&self, out: &mut Vec<u8>) {
        [&self.c0, &self.c1].iter().for_each(|part| part.write(out));
    }

    fn write_plain(&self, out: &mut Vec<u8>) {
        [&self.c1, &self.c0].iter().for_each(|part| part.write_plain(out));
    }
}

/// Reads little-endian words. Returns `None` unless there are 8 N bytes.
pub fn words<const N: usize>(bytes: &[u8]) -> Option<[u64; N]> {
    if bytes.len() != 8 * N {
        return None;
    }
    let mut words = [0; N];
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
        *word = u64::from_le_bytes(chunk.try_into().ok()?);
    }
    Some(words)
}

/// A curve whose points can be read and written.
pub trait Curve: SWCurveConfig<BaseField: Coded> {
    /// The number of bytes of a point.
    const BYTES: usize = 2 * Self::BaseField::BYTES;
}

impl<P: SWCurveConfig<BaseField: Coded>> Curve for P {}

/// Reads points with canonical coordinates, on the curve or at infinity. Does not check their subgroup.
pub fn read<P: Curve>(bytes: &[u8]) -> Option<Vec<Affine<P>>> {
    if bytes.len() % P::BYTES != 0 {
        return None;
    }
    bytes.chunks_exact(P::BYTES).map(read_one).collect()
}

/// Reads one point like [`read`].
pub fn read_one<P: Curve>(bytes: &[u8]) -> Option<Affine<P>> {
    let (x, y) = bytes.split_at_checked(P::BYTES / 2)?;
    let (x, y) = (P::BaseField::read(x)?, P::BaseField::read(y)?);
    if x.is_zero() && y.is_zero() {
        return Some(Affine::zero());
    }
    let point = Affine::new_unchecked(x, y);
    point.is_on_curve().then_some(point)
}

/// Checks the points of an untrusted file. Returns the number of the first point that is not canonical, not on the curve
/// or not of order r, or that is infinity where infinity is not allowed.
pub fn first_unsound<P: Curve>(bytes: &[u8], infinity: bool) -> Option<usize> {
    let sound = |bytes: &[u8]| {
        read_one::<P>(bytes).is_some_and(|point| {
            if point.is_zero() { infinity } else { point.is_in_correct_subgroup_assuming_on_curve() }
        })
    };
    let points = bytes.chunks_exact(P::BYTES);
    let rest = points.remainder();
    let count = points.len();
    points.into_iter().position(|bytes| !sound(bytes)).or((!rest.is_empty()).then_some(count))
}

/// Appends a point.
pub fn write<P: Curve>(out: &mut Vec<u8>, point: &Affine<P>) {
    match point.xy() {
        Some((x, y)) => [x, y].iter().for_each(|coordinate| coordinate.write(out)),
        None => out.resize(out.len() + P::BYTES, 0),
    }
}

/// Returns the bytes that are hashed for these points.
pub fn hashed<P: Curve>(points: &[Affine<P>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(points.len() * P::BYTES);
    for point in points {
        match point.xy() {
            Some((x, y)) => [x, y].iter().for_each(|coordinate| coordinate.write_plain(&mut out)),
            None => out.resize(out.len() + P::BYTES, 0),
        }
    }
    out
}
