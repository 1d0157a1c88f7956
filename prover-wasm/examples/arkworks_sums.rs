//! Computes sums of scalar multiples with arkworks in WebAssembly, for comparison with this crate.
//! `tools/bench/peers/arkworks.ts` builds and calls it through raw exports. All data goes through one buffer:
//! `buffer(length)` creates it and returns its address, `load_key` and `load_scalars` read it, and `sum_g1` and
//! `sum_g2` write their point to it.

use ark_bls12_381::{G1Affine, G1Projective, G2Affine, G2Projective};
use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{BigInt, BigInteger256};
use prover_wasm::{
    encoding::{FR, push_g1, push_g2},
    zkey::ProvingKey,
};
use std::cell::RefCell;

/// Points other than zero, with their positions among the scalars.
type Terms<P> = Vec<(usize, P)>;

#[derive(Default)]
struct State {
    buffer: Vec<u8>,
    g1: Terms<G1Affine>,
    g2: Terms<G2Affine>,
    scalars: Vec<BigInteger256>,
}

thread_local!(static STATE: RefCell<State> = RefCell::default());

fn with<T>(act: impl FnOnce(&mut State) -> T) -> T {
    STATE.with_borrow_mut(act)
}

/// Returns the address of a new buffer of this length, filled with zeros.
#[unsafe(no_mangle)]
pub extern "C" fn buffer(length: usize) -> *mut u8 {
    with(|state| {
        state.buffer = vec![0; length];
        state.buffer.as_mut_ptr()
    })
}

/// Reads A and B2 of the zkey in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn load_key() {
    with(|state| {
        let key = ProvingKey::parse(&state.buffer).expect("it is a key");
        state.g1 = terms(key.a.iter().map(|point| point.to_ark()));
        state.g2 = terms(key.b_g2.iter().map(|point| point.to_ark()));
    });
}

fn terms<P: AffineRepr>(points: impl Iterator<Item = P>) -> Terms<P> {
    points.enumerate().filter(|(_, point)| !point.is_zero()).collect()
}

/// Reads the scalars in the buffer: 32 bytes each, little endian.
#[unsafe(no_mangle)]
pub extern "C" fn load_scalars() {
    with(|state| {
        let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let scalar = |bytes: &[u8]| BigInt(std::array::from_fn(|i| word(&bytes[8 * i..8 * i + 8])));
        state.scalars = state.buffer.chunks_exact(FR).map(scalar).collect();
    });
}

/// Writes the sum over A to the buffer, 96 bytes as in `encoding`.
#[unsafe(no_mangle)]
pub extern "C" fn sum_g1() -> *const u8 {
    with(|state| {
        let sum: G1Projective = sum(&state.g1, &state.scalars);
        state.buffer.clear();
        push_g1(&mut state.buffer, &sum.into_affine());
        state.buffer.as_ptr()
    })
}

/// Writes the sum over B2 to the buffer, 192 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn sum_g2() -> *const u8 {
    with(|state| {
        let sum: G2Projective = sum(&state.g2, &state.scalars);
        state.buffer.clear();
        push_g2(&mut state.buffer, &sum.into_affine());
        state.buffer.as_ptr()
    })
}

fn sum<G>(terms: &Terms<G::MulBase>, scalars: &[BigInteger256]) -> G
where
    G: VariableBaseMSM<ScalarField = ark_bls12_381::Fr>,
{
    let (points, scalars): (Vec<_>, Vec<_>) = terms.iter().map(|(at, point)| (*point, scalars[*at])).unzip();
    G::msm_bigint(&points, &scalars)
}
