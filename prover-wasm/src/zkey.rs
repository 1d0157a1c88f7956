//! Reads snarkjs' `.zkey` (Groth16, BLS12-381). The caller has checked the file's hash, so the reader does not check
//! that points lie on the curve. A file that is cut short or malformed gives an error and never a panic.
//!
//! Layout (snarkjs 0.7, `zkey_utils.js`): `zkey`, version, count of sections, then sections of { u32 id, u64 length }.
//! Section 1 protocol, 2 header, 4 coefficients, 5 A, 6 B1, 7 B2, 8 C, 9 H. All numbers are little endian; coordinates
//! are in Montgomery form with R = 2^384, which arkworks uses as well.

use crate::msm;
use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{BigInt, PrimeField, Zero};
use core::fmt;

const GROTH16: u32 = 1;
/// snarkjs writes at most this version.
const VERSION: u32 = 1;
/// The scalar field has roots of unity of order 2^32; the quotient is evaluated on a coset of twice the domain.
const MAX_DOMAIN: u32 = 1 << 28;
const G1: usize = 96;
const G2: usize = 192;
/// { u32 matrix, u32 constraint, u32 signal, 32 bytes of value }
const COEFFICIENT: usize = 44;

/// Why a key was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ZkeyError(pub(crate) &'static str);

impl fmt::Display for ZkeyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "proving key: {}", self.0)
    }
}

impl core::error::Error for ZkeyError {}

/// The matrix of a coefficient. The file does not contain C: snarkjs uses the product of A and B instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matrix {
    A,
    B,
}

/// One entry of a constraint matrix.
#[derive(Debug, Clone, Copy)]
pub struct Coefficient {
    pub matrix: Matrix,
    pub constraint: u32,
    pub signal: u32,
    /// Times R^2: one Montgomery product with a plain witness value gives the entry's term in Montgomery form.
    pub value: Fr,
}

/// A proving key. Its long vectors of points have the form of [`msm::msm`], the others that of arkworks.
#[derive(Debug, Clone, Default)]
pub struct ProvingKey {
    /// Signals, the constant 1 included.
    pub variables: usize,
    pub public: usize,
    /// Size of the evaluation domain, a power of two.
    pub domain: usize,
    pub alpha_g1: G1Affine,
    pub beta_g1: G1Affine,
    pub beta_g2: G2Affine,
    pub delta_g1: G1Affine,
    pub delta_g2: G2Affine,
    pub coefficients: Vec<Coefficient>,
    pub a: Vec<msm::G1>,
    pub b_g1: Vec<msm::G1>,
    pub b_g2: Vec<msm::G2>,
    /// One point for each private signal.
    pub c: Vec<msm::G1>,
    /// One point for each element of the domain's odd coset.
    pub h: Vec<msm::G1>,
}

impl ProvingKey {
    /// Parses the whole file.
    pub fn parse(file: &[u8]) -> Result<Self, ZkeyError> {
        let sections = Sections::read(file)?;

        let mut protocol = Reader(sections.get(1)?);
        if protocol.u32()? != GROTH16 {
            return Err(ZkeyError("is not of Groth16"));
        }

        let mut header = Reader(sections.get(2)?);
        if header.modulus::<6>()? != Fq::MODULUS.0 || header.modulus::<4>()? != Fr::MODULUS.0 {
            return Err(ZkeyError("is not of BLS12-381"));
        }
        let (variables, public, domain) = (header.u32()?, header.u32()?, header.u32()?);
        if public >= variables {
            return Err(ZkeyError("has more public signals than signals"));
        }
        if !domain.is_power_of_two() || domain > MAX_DOMAIN {
            return Err(ZkeyError("has a domain that is no power of two"));
        }
        let alpha_g1 = header.g1()?;
        let beta_g1 = header.g1()?;
        let beta_g2 = header.g2()?;
        let _gamma = header.g2()?; // the verifier's
        let delta_g1 = header.g1()?;
        let delta_g2 = header.g2()?;

        let (n, private) = (variables as usize, (variables - public - 1) as usize);
        Ok(Self {
            variables: n,
            public: public as usize,
            domain: domain as usize,
            alpha_g1,
            beta_g1,
            beta_g2,
            delta_g1,
            delta_g2,
            coefficients: all_coefficients(sections.get(4)?, domain, variables)?,
            a: points(sections.get(5)?, n, G1, Reader::g1)?,
            b_g1: points(sections.get(6)?, n, G1, Reader::g1)?,
            b_g2: points(sections.get(7)?, n, G2, Reader::g2)?,
            c: points(sections.get(8)?, private, G1, Reader::g1)?,
            h: points(sections.get(9)?, domain as usize, G1, Reader::g1)?,
        })
    }
}

fn points<'a, P, Q: From<P>>(
    section: &'a [u8],
    count: usize,
    size: usize,
    read: fn(&mut Reader<'a>) -> Result<P, ZkeyError>,
) -> Result<Vec<Q>, ZkeyError> {
    // As below: compared before any memory is reserved.
    if count.checked_mul(size) != Some(section.len()) {
        return Err(OTHER_LENGTH);
    }
    let mut reader = Reader(section);
    (0..count).map(|_| read(&mut reader).map(Q::from)).collect()
}

fn all_coefficients(section: &[u8], domain: u32, variables: u32) -> Result<Vec<Coefficient>, ZkeyError> {
    let mut reader = Reader(section);
    let coefficients = coefficients(&mut reader, domain, variables)?;
    if reader.0.is_empty() { Ok(coefficients) } else { Err(OTHER_LENGTH) }
}

/// Reads a count, then that many coefficients.
pub(crate) fn coefficients(
    reader: &mut Reader,
    domain: u32,
    variables: u32,
) -> Result<Vec<Coefficient>, ZkeyError> {
    let count = reader.u32()? as usize;
    // Compared before any memory is reserved: a false length must not cause a large allocation.
    if count.checked_mul(COEFFICIENT).is_none_or(|length| length > reader.0.len()) {
        return Err(OTHER_LENGTH);
    }
    (0..count)
        .map(|_| {
            let matrix = match reader.u32()? {
                0 => Matrix::A,
                1 => Matrix::B,
                _ => return Err(ZkeyError("names a matrix that does not exist")),
            };
            let (constraint, signal) = (reader.u32()?, reader.u32()?);
            if constraint >= domain || signal >= variables {
                return Err(ZkeyError("has a coefficient outside its matrix"));
            }
            let value = BigInt(reader.words()?);
            if value >= Fr::MODULUS {
                return Err(ZkeyError("has a coefficient that is no field element"));
            }
            Ok(Coefficient { matrix, constraint, signal, value: Fr::new_unchecked(value) })
        })
        .collect()
}

/// The file's sections by number.
struct Sections<'a>(Vec<(u32, &'a [u8])>);

impl<'a> Sections<'a> {
    fn read(file: &'a [u8]) -> Result<Self, ZkeyError> {
        let mut reader = Reader(file);
        if reader.take(4)? != b"zkey" {
            return Err(ZkeyError("is not a zkey file"));
        }
        if reader.u32()? > VERSION {
            return Err(ZkeyError("is of an unknown version"));
        }
        let count = reader.u32()?;
        let mut sections = Vec::new();
        for _ in 0..count {
            let id = reader.u32()?;
            let length = usize::try_from(reader.u64()?).map_err(|_| CUT_SHORT)?;
            sections.push((id, reader.take(length)?));
        }
        Ok(Self(sections))
    }

    fn get(&self, id: u32) -> Result<&'a [u8], ZkeyError> {
        let mut found = self.0.iter().filter(|(other, _)| *other == id);
        match (found.next(), found.next()) {
            (Some((_, section)), None) => Ok(section),
            _ => Err(ZkeyError("has a section missing or twice")),
        }
    }
}

const OTHER_LENGTH: ZkeyError = ZkeyError("has a section of another length than its header says");
const CUT_SHORT: ZkeyError = ZkeyError("is cut short");

/// The bytes that are not read yet.
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], ZkeyError> {
        let (head, tail) = self.0.split_at_checked(length).ok_or(CUT_SHORT)?;
        self.0 = tail;
        Ok(head)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], ZkeyError> {
        self.take(N)?.try_into().map_err(|_| CUT_SHORT)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ZkeyError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn u64(&mut self) -> Result<u64, ZkeyError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn words<const N: usize>(&mut self) -> Result<[u64; N], ZkeyError> {
        let mut words = [0; N];
        for word in &mut words {
            *word = self.u64()?;
        }
        Ok(words)
    }

    /// A modulus is stored with its length in bytes before it.
    fn modulus<const N: usize>(&mut self) -> Result<[u64; N], ZkeyError> {
        if self.u32()? as usize != 8 * N {
            return Err(ZkeyError("is not of BLS12-381"));
        }
        self.words()
    }

    fn fq(&mut self) -> Result<Fq, ZkeyError> {
        let montgomery = BigInt(self.words()?);
        if montgomery >= Fq::MODULUS {
            return Err(ZkeyError("has a coordinate that is no field element"));
        }
        Ok(Fq::new_unchecked(montgomery))
    }

    fn g1(&mut self) -> Result<G1Affine, ZkeyError> {
        let (x, y) = (self.fq()?, self.fq()?);
        // snarkjs stores infinity as zeros.
        Ok(if x.is_zero() && y.is_zero() { G1Affine::zero() } else { G1Affine::new_unchecked(x, y) })
    }

    fn g2(&mut self) -> Result<G2Affine, ZkeyError> {
        let (x, y) = (Fq2::new(self.fq()?, self.fq()?), Fq2::new(self.fq()?, self.fq()?));
        Ok(if x.is_zero() && y.is_zero() { G2Affine::zero() } else { G2Affine::new_unchecked(x, y) })
    }
}
