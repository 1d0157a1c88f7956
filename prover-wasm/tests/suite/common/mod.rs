//! An insecure trusted setup for a tiny circuit, written in snarkjs' `.zkey` format, so that tests of the reader and
//! the prover need no file. The circuit has the signals 1, product, x, y, the public signal product, and one constraint
//! x y = product.

pub mod rng;

use ark_bls12_381::{Fq, Fr, G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, PrimeGroup};
use ark_ff::{Field, One, PrimeField, Zero};
use prover_wasm::{domain::root_of_unity, encoding};

pub const DOMAIN: usize = 4;
pub const VARIABLES: usize = 4;
pub const PUBLIC: usize = 1;

pub struct Setup {
    pub zkey: Vec<u8>,
    /// The verification key in the format of `PreparedKey::parse`.
    pub vkey: Vec<u8>,
    /// Offsets of the sections' headers in `zkey`, for tests that cut or alter it.
    pub sections: Vec<(u32, usize)>,
}

/// (matrix, constraint, signal); all values are 1. As in snarkjs, each public signal has a row in A.
const ENTRIES: [(u32, u32, u32); 4] = [(0, 0, 2), (1, 0, 3), (0, 1, 0), (0, 2, 1)];
const OUTPUT: (u32, u32) = (0, 1);

pub fn setup() -> Setup {
    let [tau, alpha, beta, gamma, delta] = [11u64, 13, 17, 19, 23].map(|x| Fr::from(x).inverse().unwrap());
    let lagrange = lagrange_at(tau, DOMAIN);
    let column = |matrix: u32, signal: u32| -> Fr {
        ENTRIES.iter().filter(|e| e.0 == matrix && e.2 == signal).map(|e| lagrange[e.1 as usize]).sum()
    };
    let signals = 0..VARIABLES as u32;
    let a: Vec<Fr> = signals.clone().map(|i| column(0, i)).collect();
    let b: Vec<Fr> = signals.clone().map(|i| column(1, i)).collect();
    let c: Vec<Fr> =
        signals.map(|i| if i == OUTPUT.1 { lagrange[OUTPUT.0 as usize] } else { Fr::zero() }).collect();
    let mixed = |i: usize, by: Fr| g1((beta * a[i] + alpha * b[i] + c[i]) / by);

    let odd: Vec<Fr> = lagrange_at(tau, 2 * DOMAIN).into_iter().skip(1).step_by(2).collect();

    let all_g1 = |points: &mut dyn Iterator<Item = G1Affine>| {
        let mut out = Vec::new();
        points.for_each(|p| put_g1(&mut out, p));
        out
    };
    let mut b_g2 = Vec::new();
    b.iter().for_each(|x| put_g2(&mut b_g2, g2(*x)));

    let sections: Vec<(u32, Vec<u8>)> = vec![
        (1, 1u32.to_le_bytes().to_vec()),
        (2, header(alpha, beta, gamma, delta)),
        (3, all_g1(&mut (0..=PUBLIC).map(|i| mixed(i, gamma)))),
        (4, coefficients()),
        (5, all_g1(&mut a.iter().map(|x| g1(*x)))),
        (6, all_g1(&mut b.iter().map(|x| g1(*x)))),
        (7, b_g2),
        (8, all_g1(&mut (PUBLIC + 1..VARIABLES).map(|i| mixed(i, delta)))),
        (9, all_g1(&mut odd.iter().map(|x| g1(*x / delta)))),
    ];

    let mut vkey = Vec::new();
    encoding::push_g1(&mut vkey, &g1(alpha));
    for x in [beta, gamma, delta] {
        encoding::push_g2(&mut vkey, &g2(x));
    }
    (0..=PUBLIC).for_each(|i| encoding::push_g1(&mut vkey, &mixed(i, gamma)));

    let (zkey, sections) = join_sections(sections);
    Setup { zkey, vkey, sections }
}

/// Returns the section with the field sizes, the circuit's dimensions and the points of the verification key.
fn header(alpha: Fr, beta: Fr, gamma: Fr, delta: Fr) -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(48u32.to_le_bytes());
    words(&mut header, &Fq::MODULUS.0);
    header.extend(32u32.to_le_bytes());
    words(&mut header, &Fr::MODULUS.0);
    for n in [VARIABLES, PUBLIC, DOMAIN] {
        header.extend((n as u32).to_le_bytes());
    }
    put_g1(&mut header, g1(alpha));
    put_g1(&mut header, g1(beta));
    put_g2(&mut header, g2(beta));
    put_g2(&mut header, g2(gamma));
    put_g1(&mut header, g1(delta));
    put_g2(&mut header, g2(delta));
    header
}

fn coefficients() -> Vec<u8> {
    let mut coefficients = (ENTRIES.len() as u32).to_le_bytes().to_vec();
    for (matrix, constraint, signal) in ENTRIES {
        for n in [matrix, constraint, signal] {
            coefficients.extend(n.to_le_bytes());
        }
        // The internal form of R is R^2, which is the value 1 times R^2.
        let r = Fr::from_bigint(Fr::one().0).unwrap();
        words(&mut coefficients, &r.0.0);
    }
    coefficients
}

/// Returns a `.zkey` with these sections, and the offset of each section's header in it.
fn join_sections(sections: Vec<(u32, Vec<u8>)>) -> (Vec<u8>, Vec<(u32, usize)>) {
    let mut zkey = b"zkey".to_vec();
    zkey.extend(1u32.to_le_bytes());
    zkey.extend((sections.len() as u32).to_le_bytes());
    let mut offsets = Vec::new();
    for (id, bytes) in sections {
        offsets.push((id, zkey.len()));
        zkey.extend(id.to_le_bytes());
        zkey.extend((bytes.len() as u64).to_le_bytes());
        zkey.extend(bytes);
    }
    (zkey, offsets)
}

/// Returns the Lagrange polynomials of the domain of order n, at tau: w^j (tau^n - 1) / (n (tau - w^j)).
fn lagrange_at(tau: Fr, n: usize) -> Vec<Fr> {
    let root = root_of_unity(n.trailing_zeros());
    let vanishing = tau.pow([n as u64]) - Fr::one();
    (0..n as u64).map(|j| root.pow([j])).map(|w| w * vanishing / (Fr::from(n as u64) * (tau - w))).collect()
}

fn g1(x: Fr) -> G1Affine {
    (G1Projective::generator() * x).into_affine()
}

fn g2(x: Fr) -> G2Affine {
    (G2Projective::generator() * x).into_affine()
}

fn words(out: &mut Vec<u8>, words: &[u64]) {
    words.iter().for_each(|w| out.extend(w.to_le_bytes()));
}

fn put_g1(out: &mut Vec<u8>, point: G1Affine) {
    let (x, y) = point.xy().unwrap_or_default();
    [x, y].iter().for_each(|c| words(out, &c.0.0));
}

fn put_g2(out: &mut Vec<u8>, point: G2Affine) {
    let (x, y) = point.xy().unwrap_or_default();
    [x.c0, x.c1, y.c0, y.c1].iter().for_each(|c| words(out, &c.0.0));
}

/// Returns the witness of x y = product as 32-byte little-endian values.
pub fn witness(x: Fr, y: Fr) -> Vec<u8> {
    witness_of(&[Fr::one(), x * y, x, y])
}

pub fn witness_of(values: &[Fr]) -> Vec<u8> {
    let mut out = Vec::new();
    values.iter().for_each(|v| words(&mut out, &v.into_bigint().0));
    out
}

/// Returns a public signal in the verifier's format.
pub fn signal(x: Fr) -> Vec<u8> {
    let mut out = Vec::new();
    words(&mut out, &x.into_bigint().0);
    out.reverse();
    out
}
