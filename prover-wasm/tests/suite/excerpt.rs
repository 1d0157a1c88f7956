//! Claims about excerpts of a key: they contain exactly the data that a sum needs, and a damaged one gives an error,
//! not a panic.

use crate::common::setup;
use prover_wasm::{prove::Piece, zkey::ProvingKey};

const ALL: [Option<Piece>; 6] =
    [None, Some(Piece::A), Some(Piece::B1), Some(Piece::B2), Some(Piece::C), Some(Piece::H)];

fn key() -> ProvingKey {
    ProvingKey::parse(&setup().zkey).unwrap()
}

#[test]
fn an_excerpt_has_the_vectors_of_its_sum_alone() {
    let whole = key();
    for piece in ALL {
        let (named, key) = ProvingKey::from_excerpt(&whole.excerpt(piece)).unwrap();
        assert_eq!(named, piece);
        assert_eq!((key.variables, key.public, key.domain), (whole.variables, whole.public, whole.domain));
        assert_eq!(
            (key.alpha_g1, key.beta_g1, key.delta_g1),
            (whole.alpha_g1, whole.beta_g1, whole.delta_g1)
        );
        assert_eq!((key.beta_g2, key.delta_g2), (whole.beta_g2, whole.delta_g2));
        let is = |other| piece == Some(other);
        assert_eq!(key.a, if is(Piece::A) { whole.a.clone() } else { vec![] });
        assert_eq!(key.b_g1, if is(Piece::B1) { whole.b_g1.clone() } else { vec![] });
        assert_eq!(key.b_g2, if is(Piece::B2) { whole.b_g2.clone() } else { vec![] });
        assert_eq!(key.c, if is(Piece::C) { whole.c.clone() } else { vec![] });
        assert_eq!(key.h, if is(Piece::H) { whole.h.clone() } else { vec![] });
        assert_eq!(key.coefficients.len(), if is(Piece::H) { whole.coefficients.len() } else { 0 });
        assert_eq!(key.excerpt(piece), whole.excerpt(piece), "to the byte");
    }
}

#[test]
fn an_excerpt_that_is_cut_anywhere_or_goes_on_is_an_error() {
    for piece in ALL {
        let excerpt = key().excerpt(piece);
        for length in 0..excerpt.len() {
            assert!(ProvingKey::from_excerpt(&excerpt[..length]).is_err(), "{piece:?} cut to {length}");
        }
        assert!(ProvingKey::from_excerpt(&[&excerpt[..], &[0]].concat()).is_err());
    }
}

#[test]
fn false_counts_are_errors() {
    // The sum, variables, public and domain; for H also, after 14 coordinates of points, the number of coefficients.
    let cases: [(usize, u32); 9] = [
        (0, 2),
        (0, 6),
        (0, u32::MAX),
        (4, u32::MAX),
        (8, 4),
        (12, 3),
        (12, 1 << 31),
        (16 + 14 * 48, 3),
        (16 + 14 * 48, u32::MAX),
    ];
    for (at, number) in cases {
        let mut excerpt = key().excerpt(Some(Piece::H));
        excerpt[at..at + 4].copy_from_slice(&number.to_le_bytes());
        assert!(ProvingKey::from_excerpt(&excerpt).is_err(), "{number} at {at}");
    }
}
