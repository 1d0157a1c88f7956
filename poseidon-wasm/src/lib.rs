//! Poseidon for tonado, in batches: each export crosses the boundary once for any number of hashes. Elements are 32
//! big-endian bytes. This crate has no notion of notes or pools, allocates only its results, and keeps no state.
//!
//! Callers check that elements are below r. An element of r or more hashes as its residue.

use wasm_bindgen::prelude::wasm_bindgen;

pub mod field;
mod generated {
    #[cfg_attr(feature = "wide", path = "wide.rs")]
    #[cfg_attr(not(feature = "wide"), path = "narrow.rs")]
    #[rustfmt::skip]
    pub mod constants;
}
mod poseidon;

pub use poseidon::{poseidon1 as hash_one, poseidon2 as hash_two};

const ELEMENT: usize = 32;

/// Hashes n elements, each by itself: n * 32 bytes to n * 32 bytes. Ignores an incomplete element at the end.
#[wasm_bindgen]
pub fn poseidon1(inputs: &[u8]) -> Vec<u8> {
    inputs.as_chunks::<ELEMENT>().0.iter().flat_map(hash_one).collect()
}

/// Hashes n pairs: n * 64 bytes to n * 32 bytes. Ignores an incomplete pair at the end.
#[wasm_bindgen]
pub fn poseidon2(pairs: &[u8]) -> Vec<u8> {
    hash_level(&pairs[..pairs.len() / (2 * ELEMENT) * (2 * ELEMENT)], &[])
}

/// Hashes a level of a tree into the level above: n elements to half as many, rounded up. `zero`, one element, is the
/// empty subtree beside the last node of an odd level; an even level ignores it.
#[wasm_bindgen]
pub fn hash_level(nodes: &[u8], zero: &[u8]) -> Vec<u8> {
    let nodes = nodes.as_chunks::<ELEMENT>().0;
    let mut parents: Vec<u8> = Vec::with_capacity(nodes.len().div_ceil(2) * ELEMENT);
    for pair in nodes.chunks(2) {
        let right = pair.get(1).unwrap_or_else(|| zero.as_chunks().0.first().expect("zero is one element"));
        parents.extend_from_slice(&hash_two(&pair[0], right));
    }
    parents
}
