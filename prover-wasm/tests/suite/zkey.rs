//! Claims about the reader: a damaged key gives an error, never a panic, and the reader reserves no memory for missing
//! data.

use crate::common::{DOMAIN, PUBLIC, VARIABLES, setup};
use prover_wasm::zkey::ProvingKey;

#[test]
fn the_whole_key_is_read() {
    let key = ProvingKey::parse(&setup().zkey).unwrap();
    assert_eq!((key.variables, key.public, key.domain), (VARIABLES, PUBLIC, DOMAIN));
    assert_eq!((key.a.len(), key.b_g1.len(), key.b_g2.len()), (VARIABLES, VARIABLES, VARIABLES));
    assert_eq!((key.c.len(), key.h.len()), (VARIABLES - PUBLIC - 1, DOMAIN));
    assert!([&key.a[..], &key.b_g1, &key.c, &key.h].concat().iter().all(|p| p.to_ark().is_on_curve()));
    assert!(key.b_g2.iter().all(|p| p.to_ark().is_on_curve()));
}

#[test]
fn a_key_cut_anywhere_is_an_error() {
    let zkey = setup().zkey;
    for length in 0..zkey.len() {
        assert!(ProvingKey::parse(&zkey[..length]).is_err(), "cut to {length}");
    }
}

#[test]
fn altered_headers_and_lengths_are_errors() {
    let setup = setup();
    let section = |id: u32| setup.sections.iter().find(|(other, _)| *other == id).unwrap().1;
    let body = |id| section(id) + 12;
    let counts = body(2) + 4 + 48 + 4 + 32;
    let cases: [(&str, usize, &[u8]); 16] = [
        ("another magic", 0, b"wtns"),
        ("an unknown version", 4, &[2]),
        ("more sections than there are", 8, &[200]),
        ("PLONK", body(1), &[2]),
        ("q of another length", body(2), &[32]),
        ("another q", body(2) + 4, &[0]),
        ("another r", body(2) + 4 + 48 + 4, &[0]),
        ("more signals than points", counts, &[5]),
        ("2^32 - 1 signals", counts, &[0xff; 4]),
        ("more public signals than signals", counts + 4, &[9]),
        ("a domain that is no power of two", counts + 8, &[3]),
        ("a domain of 2^31", counts + 8, &[0, 0, 0, 0x80]),
        ("a section of 2^64 - 1 bytes", section(4) + 4, &[0xff; 8]),
        ("2^32 - 1 coefficients", body(4), &[0xff; 4]),
        ("a coordinate above q", body(5), &[0xff; 48]),
        ("a section twice", section(6), &[5]),
    ];
    for (what, at, bytes) in cases {
        let mut zkey = setup.zkey.clone();
        zkey[at..at + bytes.len()].copy_from_slice(bytes);
        assert!(ProvingKey::parse(&zkey).is_err(), "{what}");
    }
}

#[test]
fn coefficients_outside_their_matrix_are_errors() {
    let setup = setup();
    let entry = setup.sections.iter().find(|(id, _)| *id == 4).unwrap().1 + 12 + 4;
    for (what, at, bytes) in [
        ("a third matrix", 0, &[2][..]),
        ("a constraint past the domain", 4, &[DOMAIN as u8]),
        ("a signal past the last", 8, &[VARIABLES as u8]),
        ("a value above r", 12, &[0xff; 32]),
    ] {
        let mut zkey = setup.zkey.clone();
        zkey[entry + at..entry + at + bytes.len()].copy_from_slice(bytes);
        assert!(ProvingKey::parse(&zkey).is_err(), "{what}");
    }
}

#[test]
fn no_single_altered_byte_panics() {
    let zkey = setup().zkey;
    for at in 0..zkey.len() {
        let mut altered = zkey.clone();
        altered[at] ^= 0x80;
        let _ = ProvingKey::parse(&altered);
    }
}
