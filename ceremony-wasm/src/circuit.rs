//! A constraint system as circom writes it (`.r1cs`, iden3/r1csfile), and the Groth16 key that it and the powers of tau
//! determine. The rows are the constraints, then one row with A = w_i, B = 0 for each public signal i (snarkjs,
//! `zkey_new.js`), which keeps the polynomials of the public signals independent.
//!
//! Columns of the key, where A_i, B_i, C_i are the polynomials that interpolate column i of the matrices:
//!
//!   A: A_i(tau)      B: B_i(tau), in both groups      IC and L: beta A_i(tau) + alpha B_i(tau) + C_i(tau)

use crate::{
    domain::{fft, root_of_unity},
    points::{self, Curve},
    random::ChaCha,
};
use ark_bls12_381::Fr;
use ark_ec::{
    CurveGroup,
    short_weierstrass::{Affine, Projective},
};
use ark_ff::{AdditiveGroup, BigInt, Field, PrimeField, Zero};
use core::fmt;

/// The number of bytes of a scalar.
pub const FR: usize = 32;
const HEADER: u32 = 1;
const CONSTRAINTS: u32 = 2;

/// The reason why a constraint system was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct R1csError(&'static str);

impl fmt::Display for R1csError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "constraint system: {}", self.0)
    }
}

impl core::error::Error for R1csError {}

const CUT_SHORT: R1csError = R1csError("is cut short");

/// An entry of a matrix.
#[derive(Debug, Clone, Copy)]
struct Entry {
    row: u32,
    signal: u32,
    value: Fr,
}

/// A constraint system.
#[derive(Debug, Clone)]
pub struct Circuit {
    /// The number of signals, including the constant 1.
    pub variables: usize,
    pub public: usize,
    pub constraints: usize,
    /// A, B and C, in the order of the file.
    matrices: [Vec<Entry>; 3],
}

/// A section of the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    A,
    B,
    Ic,
    L,
}

impl Section {
    /// Returns the section with this name on the JavaScript side.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "A" => Self::A,
            "B1" | "B2" => Self::B,
            "IC" => Self::Ic,
            "L" => Self::L,
            _ => return None,
        })
    }
}

impl Circuit {
    /// Parses the whole file.
    pub fn parse(file: &[u8]) -> Result<Self, R1csError> {
        let mut reader = Reader(file);
        if reader.take(4)? != b"r1cs" {
            return Err(R1csError("is not an r1cs file"));
        }
        if reader.u32()? != 1 {
            return Err(R1csError("is of an unknown version"));
        }
        let (mut header, mut constraints) = (None, None);
        for _ in 0..reader.u32()? {
            let id = reader.u32()?;
            let length = usize::try_from(reader.u64()?).map_err(|_| CUT_SHORT)?;
            let section = reader.take(length)?;
            let slot = match id {
                HEADER => &mut header,
                CONSTRAINTS => &mut constraints,
                _ => continue,
            };
            if slot.replace(Reader(section)).is_some() {
                return Err(R1csError("has a section twice"));
            }
        }
        let (Some(mut header), Some(mut rows)) = (header, constraints) else {
            return Err(R1csError("has a section missing"));
        };
        if header.u32()? as usize != FR || header.words()? != Fr::MODULUS.0 {
            return Err(R1csError("is not over the scalar field of BLS12-381"));
        }
        let variables = header.u32()?;
        let (outputs, inputs, _private) = (header.u32()?, header.u32()?, header.u32()?);
        let _labels = header.u64()?;
        let constraints = header.u32()?;
        let public = outputs.checked_add(inputs).filter(|public| *public < variables);
        let public = public.ok_or(R1csError("has more public signals than signals"))?;
        if u64::from(constraints) + u64::from(public) + 1 > 1 << 28 {
            return Err(R1csError("is too large"));
        }

        let mut matrices = [const { Vec::new() }; 3];
        for row in 0..constraints {
            for matrix in &mut matrices {
                for _ in 0..rows.u32()? {
                    let signal = rows.u32()?;
                    if signal >= variables {
                        return Err(R1csError("names a signal that does not exist"));
                    }
                    let value = Fr::from_bigint(BigInt(rows.words()?));
                    let value = value.ok_or(R1csError("has a coefficient that is no field element"))?;
                    matrix.push(Entry { row, signal, value });
                }
            }
        }
        for i in 0..=public {
            matrices[0].push(Entry { row: constraints + i, signal: i, value: Fr::ONE });
        }
        let [variables, public, constraints] = [variables, public, constraints].map(|n| n as usize);
        Ok(Self { variables, public, constraints, matrices })
    }

    /// Returns the size of the evaluation domain: the rows, rounded up to a power of two (at least 2, as in snarkjs).
    pub fn domain(&self) -> usize {
        (self.constraints + self.public + 1).next_power_of_two().max(2)
    }

    /// Returns section 4 of the `.zkey`: for each row the entries of A, then of B, with values times R^2, R = 2^256.
    pub fn coefficients(&self) -> Vec<u8> {
        let [a, b, _] = &self.matrices;
        let r = Fr::from(2u64).pow([256u64]); // the Montgomery form multiplies by R once more
        let mut out = ((a.len() + b.len()) as u32).to_le_bytes().to_vec();
        let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
        for row in 0..(self.constraints + self.public + 1) as u32 {
            for (matrix, entries) in [&mut a, &mut b].into_iter().enumerate() {
                while let Some(entry) = entries.next_if(|entry| entry.row == row) {
                    [matrix as u32, row, entry.signal].iter().for_each(|n| out.extend(n.to_le_bytes()));
                    (entry.value * r).0.0.iter().for_each(|word| out.extend(word.to_le_bytes()));
                }
            }
        }
        out
    }

    /// Returns the range of signals that have a point in the section.
    fn signals(&self, section: Section) -> core::ops::Range<usize> {
        match section {
            Section::A | Section::B => 0..self.variables,
            Section::Ic => 0..self.public + 1,
            Section::L => self.public + 1..self.variables,
        }
    }

    /// Returns the number of points in the section.
    pub fn size(&self, section: Section) -> usize {
        self.signals(section).len()
    }

    /// Returns a random combination of a section's points in terms of the powers of tau: for A and B, the coefficients
    /// of 1, tau, tau^2, ..; for IC and L, those of beta tau^k, then of alpha tau^k, then of tau^k. `random` has one
    /// scalar for each point of the section.
    pub fn combination(&self, section: Section, random: &[Fr]) -> Vec<Fr> {
        let first = self.signals(section).start;
        let matrices: &[usize] = match section {
            Section::A => &[0],
            Section::B => &[1],
            Section::Ic | Section::L => &[0, 1, 2],
        };
        matrices
            .iter()
            .flat_map(|matrix| {
                let mut values = vec![Fr::ZERO; self.domain()];
                for entry in &self.matrices[*matrix] {
                    let at = (entry.signal as usize).checked_sub(first);
                    if let Some(factor) = at.and_then(|at| random.get(at)) {
                        values[entry.row as usize] += entry.value * factor;
                    }
                }
                interpolate(&mut values);
                values
            })
            .collect()
    }

    /// Returns the points of a range of a section's signals, counted from the section's first signal. `bases` are the
    /// Lagrange polynomials at tau, for IC and L first times beta, then times alpha, then unchanged. Returns `None`
    /// unless there is one base for each row.
    pub fn points<P: Curve<ScalarField = Fr>>(
        &self,
        section: Section,
        part: core::ops::Range<usize>,
        bases: &[&[Affine<P>]],
    ) -> Option<Vec<Affine<P>>> {
        let matrices: &[usize] = match section {
            Section::A => &[0],
            Section::B => &[1],
            Section::Ic | Section::L => &[0, 1, 2],
        };
        let first = self.signals(section).start + part.start;
        let mut terms: Vec<Vec<(Affine<P>, Fr)>> = vec![Vec::new(); part.len()];
        for (matrix, bases) in matrices.iter().zip(bases) {
            for entry in &self.matrices[*matrix] {
                let at = (entry.signal as usize).checked_sub(first);
                if let Some(terms) = at.and_then(|at| terms.get_mut(at)) {
                    terms.push((*bases.get(entry.row as usize)?, entry.value));
                }
            }
        }
        let sums: Vec<Projective<P>> = terms.iter().map(|terms| sum(terms)).collect();
        (bases.len() == matrices.len()).then(|| Projective::normalize_batch(&sums))
    }
}

/// Returns a random combination of the points of section H as the coefficients of tau^k. Point i is the Lagrange
/// polynomial 2i + 1 of twice the domain, at tau.
pub fn h_combination(random: &[Fr]) -> Vec<Fr> {
    let mut values: Vec<Fr> = random.iter().flat_map(|factor| [Fr::ZERO, *factor]).collect();
    interpolate(&mut values);
    values
}

/// Replaces values on a domain by the coefficients of the polynomial with these values. This also turns a combination
/// of the domain's Lagrange polynomials into one of powers. Does nothing unless the length is a power of 2.
pub fn interpolate(values: &mut [Fr]) {
    let n = values.len();
    let inverse_root = root_of_unity(n.trailing_zeros()).inverse();
    let (true, Some(inverse_root), Some(inverse_n)) =
        (n.is_power_of_two(), inverse_root, Fr::from(n as u64).inverse())
    else {
        return;
    };
    fft(values, inverse_root);
    values.iter_mut().for_each(|value| *value *= inverse_n);
}

/// Returns the sum of scalar multiples, four bits at a time (Straus). For so few terms, buckets are not faster.
fn sum<P: Curve<ScalarField = Fr>>(terms: &[(Affine<P>, Fr)]) -> Projective<P> {
    let tables: Vec<[Projective<P>; 16]> = terms
        .iter()
        .map(|(point, _)| {
            let mut table = [Projective::zero(); 16];
            for i in 1..16 {
                table[i] = table[i - 1] + point;
            }
            table
        })
        .collect();
    let scalars: Vec<BigInt<4>> = terms.iter().map(|(_, scalar)| scalar.into_bigint()).collect();
    let mut total = Projective::zero();
    for window in (0..64).rev() {
        for _ in 0..4 {
            total.double_in_place();
        }
        for (table, scalar) in tables.iter().zip(&scalars) {
            let digit = scalar.0[window / 16] >> (4 * (window % 16)) & 15;
            if digit != 0 {
                total += table[digit as usize];
            }
        }
    }
    total
}

/// Returns unpredictable scalars from a fresh seed.
pub fn random_scalars(seed: &[u8; 32], count: usize) -> Vec<Fr> {
    let mut rng = ChaCha::new(seed);
    (0..count).map(|_| rng.scalar()).collect()
}

/// Returns the scalars as plain little-endian bytes.
pub fn scalar_bytes(scalars: &[Fr]) -> Vec<u8> {
    scalars.iter().flat_map(|scalar| scalar.into_bigint().0).flat_map(u64::to_le_bytes).collect()
}

/// Reverses [`scalar_bytes`]. Returns `None` if a scalar is not below r.
pub fn scalars_of(bytes: &[u8]) -> Option<Vec<Fr>> {
    if bytes.len() % FR != 0 {
        return None;
    }
    bytes.chunks_exact(FR).map(|chunk| Fr::from_bigint(BigInt(points::words(chunk)?))).collect()
}

/// The bytes that have not been read yet.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], R1csError> {
        let (head, tail) = self.0.split_at_checked(length).ok_or(CUT_SHORT)?;
        self.0 = tail;
        Ok(head)
    }

    fn words<const N: usize>(&mut self) -> Result<[u64; N], R1csError> {
        points::words(self.take(8 * N)?).ok_or(CUT_SHORT)
    }

    fn u32(&mut self) -> Result<u32, R1csError> {
        Ok(u32::from_le_bytes(self.take(4)?.try_into().map_err(|_| CUT_SHORT)?))
    }

    fn u64(&mut self) -> Result<u64, R1csError> {
        Ok(self.words::<1>()?[0])
    }
}
