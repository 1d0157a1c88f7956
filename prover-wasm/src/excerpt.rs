//! Excerpts of a parsed key as bytes: the part that one sum needs, or the part that joins the sums. One thread parses the
//! key, and all threads read its excerpts. Instances of this module do not share memory, so a worker copies the excerpt
//! of its sum into its own memory and frees it after the sum.
//!
//! Layout: the number of the sum (0: the joining part), variables, public, domain as u32; alpha, beta (G1), beta (G2),
//! delta (G1), delta (G2) uncompressed; for H, the coefficients as in the `.zkey`; the points' limbs as the kernels
//! store them, so only the build that wrote them can read them. All numbers but the points are little endian.
//!
//! Excerpts do not leave the process. They are only checked as far as needed to prevent traps.

use crate::{
    encoding,
    field::{
        Coordinate, Fq, Fq2,
        limbs::{LIMBS, Limb, Limbs},
    },
    msm::Point,
    prove::Piece,
    zkey::{Matrix, ProvingKey, Reader, ZkeyError, coefficients},
};
use ark_bls12_381::{G1Affine, G2Affine};

const MALFORMED: ZkeyError = ZkeyError("excerpt is malformed");
/// No address space holds the points or the witness of more variables.
const MAX_VARIABLES: u32 = 1 << 26;
const PIECES: [Piece; 5] = [Piece::A, Piece::B1, Piece::B2, Piece::C, Piece::H];

impl ProvingKey {
    /// Returns the part of the key that a sum needs, or with `None` the part that joins the sums.
    pub fn excerpt(&self, piece: Option<Piece>) -> Vec<u8> {
        let mut out = Vec::new();
        let number =
            piece.and_then(|piece| PIECES.iter().position(|other| *other == piece)).map_or(0, |i| i + 1);
        put_numbers(&mut out, [number, self.variables, self.public, self.domain]);
        encoding::push_g1(&mut out, &self.alpha_g1);
        encoding::push_g1(&mut out, &self.beta_g1);
        encoding::push_g2(&mut out, &self.beta_g2);
        encoding::push_g1(&mut out, &self.delta_g1);
        encoding::push_g2(&mut out, &self.delta_g2);
        match piece {
            None => {}
            Some(Piece::A) => put_points(&mut out, &self.a),
            Some(Piece::B1) => put_points(&mut out, &self.b_g1),
            Some(Piece::B2) => put_points(&mut out, &self.b_g2),
            Some(Piece::C) => put_points(&mut out, &self.c),
            Some(Piece::H) => {
                put_numbers(&mut out, [self.coefficients.len()]);
                for entry in &self.coefficients {
                    let matrix = match entry.matrix {
                        Matrix::A => 0,
                        Matrix::B => 1,
                    };
                    put_numbers(&mut out, [matrix, entry.constraint as usize, entry.signal as usize]);
                    entry.value.0.0.iter().for_each(|word| out.extend(word.to_le_bytes()));
                }
                put_points(&mut out, &self.h);
            }
        }
        out
    }

    /// Returns the part of the key in an excerpt. Vectors that the excerpt does not contain are empty.
    pub fn from_excerpt(bytes: &[u8]) -> Result<(Option<Piece>, Self), ZkeyError> {
        let mut reader = Reader(bytes);
        let number = reader.u32()? as usize;
        let (variables, public, domain) = (reader.u32()?, reader.u32()?, reader.u32()?);
        if public >= variables || variables > MAX_VARIABLES || !domain.is_power_of_two() {
            return Err(MALFORMED);
        }
        let mut key = Self {
            variables: variables as usize,
            public: public as usize,
            domain: domain as usize,
            alpha_g1: g1(&mut reader)?,
            beta_g1: g1(&mut reader)?,
            beta_g2: g2(&mut reader)?,
            delta_g1: g1(&mut reader)?,
            delta_g2: g2(&mut reader)?,
            ..Self::default()
        };
        let piece = number.checked_sub(1).map(|i| PIECES.get(i).copied().ok_or(MALFORMED)).transpose()?;
        let private = (variables - public - 1) as usize;
        match piece {
            None => {}
            Some(Piece::A) => key.a = points(&mut reader, key.variables)?,
            Some(Piece::B1) => key.b_g1 = points(&mut reader, key.variables)?,
            Some(Piece::B2) => key.b_g2 = points(&mut reader, key.variables)?,
            Some(Piece::C) => key.c = points(&mut reader, private)?,
            Some(Piece::H) => {
                key.coefficients = coefficients(&mut reader, domain, variables)?;
                key.h = points(&mut reader, key.domain)?;
            }
        }
        if reader.0.is_empty() { Ok((piece, key)) } else { Err(MALFORMED) }
    }
}

fn put_numbers<const N: usize>(out: &mut Vec<u8>, numbers: [usize; N]) {
    numbers.iter().for_each(|number| out.extend((*number as u32).to_le_bytes()));
}

fn g1(reader: &mut Reader) -> Result<G1Affine, ZkeyError> {
    encoding::trusted_g1(reader.take(encoding::G1)?).ok_or(MALFORMED)
}

fn g2(reader: &mut Reader) -> Result<G2Affine, ZkeyError> {
    encoding::trusted_g2(reader.take(encoding::G2)?).ok_or(MALFORMED)
}

/// A coordinate that is stored as its limbs.
trait InLimbs: Coordinate {
    const BYTES: usize;

    fn put(&self, out: &mut Vec<u8>);
    fn read(reader: &mut Reader) -> Result<Self, ZkeyError>;
}

impl InLimbs for Fq {
    const BYTES: usize = LIMBS * size_of::<Limb>();

    fn put(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|limb| out.extend(limb.to_le_bytes()));
    }

    fn read(reader: &mut Reader) -> Result<Self, ZkeyError> {
        let mut limbs: Limbs = [0; LIMBS];
        for limb in &mut limbs {
            *limb = Limb::from_le_bytes(reader.array()?);
        }
        Ok(Self(limbs))
    }
}

impl InLimbs for Fq2 {
    const BYTES: usize = 2 * Fq::BYTES;

    fn put(&self, out: &mut Vec<u8>) {
        self.0.iter().for_each(|part| Fq(*part).put(out));
    }

    fn read(reader: &mut Reader) -> Result<Self, ZkeyError> {
        Ok(Self([Fq::read(reader)?.0, Fq::read(reader)?.0]))
    }
}

fn put_points<F: InLimbs>(out: &mut Vec<u8>, points: &[Point<F>]) {
    out.reserve(points.len() * 2 * F::BYTES);
    for Point { x, y } in points {
        x.put(out);
        y.put(out);
    }
}

fn points<F: InLimbs>(reader: &mut Reader, count: usize) -> Result<Vec<Point<F>>, ZkeyError> {
    // Compares the length before it reserves memory.
    if count.checked_mul(2 * F::BYTES) != Some(reader.0.len()) {
        return Err(MALFORMED);
    }
    (0..count).map(|_| Ok(Point { x: F::read(reader)?, y: F::read(reader)? })).collect()
}
