//! Claims about proofs of a tiny circuit: the verifier accepts an honest prover's proof and rejects each alteration.

use crate::common::{setup, signal, witness, witness_of};
use ark_bls12_381::{Fq, Fq2, Fr, G1Affine, G2Affine};
use ark_ff::{BigInteger, Field, One, PrimeField, Zero};
use prover_wasm::{
    encoding::{self, FQ, G1, G2},
    prove::{Blinding, Part, Piece, assemble, parse_witness, piece},
    verify::PreparedKey,
    zkey::ProvingKey,
};

fn prove(zkey: &[u8], witness: &[u8], randomness: [u8; 96]) -> Vec<u8> {
    prove_in_parts(zkey, witness, randomness, 1)
}

fn prove_in_parts(zkey: &[u8], witness: &[u8], randomness: [u8; 96], count: usize) -> Vec<u8> {
    let key = ProvingKey::parse(zkey).unwrap();
    let excerpt = |piece| ProvingKey::from_excerpt(&key.excerpt(piece)).unwrap().1;
    let witness = parse_witness(&key, witness).unwrap();
    let [a, b1, b2, c, h] = [Piece::A, Piece::B1, Piece::B2, Piece::C, Piece::H].map(|p| -> Vec<u8> {
        let key = excerpt(Some(p));
        (0..count).flat_map(|i| piece(&key, p, Part::new(i, count).unwrap(), &witness)).collect()
    });
    let blinding = Blinding::from_bytes(&randomness).unwrap();
    assemble(&excerpt(None), [&a, &b1, &c, &h], &b2, &blinding).unwrap()
}

fn honest() -> (PreparedKey, Vec<u8>, Vec<u8>) {
    let setup = setup();
    let (x, y) = (Fr::from(6u64), Fr::from(7u64));
    let proof = prove(&setup.zkey, &witness(x, y), [5; 96]);
    (PreparedKey::parse(&setup.vkey).unwrap(), proof, signal(x * y))
}

#[test]
fn an_honest_proof_is_accepted_at_the_extremes_of_the_field() {
    let setup = setup();
    let key = PreparedKey::parse(&setup.vkey).unwrap();
    let top = -Fr::one();
    for (x, y) in
        [(Fr::zero(), Fr::zero()), (Fr::one(), top), (top, top), (Fr::from(3u64), top / Fr::from(3u64))]
    {
        for randomness in [[1; 96], [0x80; 96], [0xff; 96]] {
            let proof = prove(&setup.zkey, &witness(x, y), randomness);
            assert!(key.verify(&proof, &signal(x * y)));
        }
    }
}

#[test]
fn a_proof_of_any_number_of_parts_is_the_same() {
    let setup = setup();
    let witness = witness(Fr::from(6u64), -Fr::one());
    let whole = prove(&setup.zkey, &witness, [3; 96]);
    for parts in [2, 3, 5, 100] {
        assert_eq!(prove_in_parts(&setup.zkey, &witness, [3; 96], parts), whole, "{parts} parts");
    }
    assert!([(0, 0), (1, 1), (0, 1 << 16)].iter().all(|(index, count)| Part::new(*index, *count).is_none()));
}

#[test]
fn blinding_hides_equal_witnesses() {
    let setup = setup();
    let witness = witness(Fr::from(6u64), Fr::from(7u64));
    let [one, other] = [[1; 96], [2; 96]].map(|randomness| prove(&setup.zkey, &witness, randomness));
    for range in [0..G1, G1..G1 + G2, G1 + G2..2 * G1 + G2] {
        assert_ne!(one[range.clone()], other[range]);
    }
}

#[test]
fn both_halves_of_the_blinding_count() {
    let setup = setup();
    let witness = witness(Fr::from(6u64), Fr::from(7u64));
    let plain = prove(&setup.zkey, &witness, [0; 96]);
    let with_r = prove(&setup.zkey, &witness, std::array::from_fn(|i| u8::from(i == 47)));
    let with_s = prove(&setup.zkey, &witness, std::array::from_fn(|i| u8::from(i == 95)));
    assert_ne!(plain[..G1], with_r[..G1], "r moves A");
    assert_eq!(plain[G1..G1 + G2], with_r[G1..G1 + G2]);
    assert_eq!(plain[..G1], with_s[..G1]);
    assert_ne!(plain[G1..G1 + G2], with_s[G1..G1 + G2], "s moves B");
}

#[test]
fn a_false_witness_gives_no_valid_proof() {
    let setup = setup();
    let key = PreparedKey::parse(&setup.vkey).unwrap();
    let [x, y, not_xy] = [6u64, 7, 43].map(Fr::from);
    let proof = prove(&setup.zkey, &witness_of(&[Fr::one(), not_xy, x, y]), [5; 96]);
    assert!(!key.verify(&proof, &signal(not_xy)));
    assert!(!key.verify(&proof, &signal(x * y)));
}

#[test]
fn a_witness_of_another_shape_is_an_error() {
    let key = ProvingKey::parse(&setup().zkey).unwrap();
    let good = witness(Fr::from(6u64), Fr::from(7u64));
    let mut no_one = good.clone();
    no_one[0] = 2;
    let mut unreduced = good.clone();
    unreduced[64..96].copy_from_slice(&[0xff; 32]);
    let modulus = Fr::MODULUS.to_bytes_le();
    let mut exactly_r = good.clone();
    exactly_r[64..96].copy_from_slice(&modulus);
    for bad in [&good[..96], &[good.clone(), good.clone()].concat(), &[], &no_one, &unreduced, &exactly_r] {
        assert!(parse_witness(&key, bad).is_err());
    }
}

#[test]
fn randomness_of_another_length_is_an_error() {
    for length in [0, 64, 95, 97] {
        assert!(Blinding::from_bytes(&vec![7; length]).is_err());
    }
}

#[test]
fn wrong_signals_are_refused() {
    let (key, proof, good) = honest();
    assert!(key.verify(&proof, &good));
    let plus_r = {
        let mut x = Fr::from(42u64).into_bigint();
        assert!(!x.add_with_carry(&Fr::MODULUS));
        x.to_bytes_be()
    };
    for bad in
        [signal(Fr::from(43u64)), plus_r, vec![], good[1..].to_vec(), [good.clone(), good.clone()].concat()]
    {
        assert!(!key.verify(&proof, &bad));
    }
}

/// Returns a point on the curve outside the subgroup of order r: the first x from 0 that gives one.
fn stray_g1() -> G1Affine {
    (0u64..)
        .filter_map(|x| G1Affine::get_point_from_x_unchecked(Fq::from(x), false))
        .find(|p| p.is_on_curve() && !p.is_in_correct_subgroup_assuming_on_curve())
        .unwrap()
}

fn stray_g2() -> G2Affine {
    (0u64..)
        .filter_map(|x| G2Affine::get_point_from_x_unchecked(Fq2::new(Fq::from(x), Fq::zero()), false))
        .find(|p| p.is_on_curve() && !p.is_in_correct_subgroup_assuming_on_curve())
        .unwrap()
}

#[test]
fn each_altered_point_is_refused() {
    let (key, proof, signals) = honest();
    let (g1, g2) = (&mut Vec::new(), &mut Vec::new());
    encoding::push_g1(g1, &stray_g1());
    encoding::push_g2(g2, &stray_g2());
    let (b_at, c_at) = (G1, G1 + G2);
    let q = Fq::MODULUS.to_bytes_be();

    let replaced = |at: usize, with: &[u8]| {
        let mut altered = proof.clone();
        altered[at..at + with.len()].copy_from_slice(with);
        altered
    };
    let plus_q = |at: usize| {
        let mut altered = proof.clone();
        let mut carry = 0;
        for i in (0..FQ).rev() {
            carry += u16::from(altered[at + i]) + u16::from(q[i]);
            altered[at + i] = carry as u8;
            carry >>= 8;
        }
        altered
    };
    let flipped = |at: usize| {
        let mut altered = proof.clone();
        altered[at] ^= 1;
        altered
    };

    let mut cases = vec![
        ("A outside the subgroup", replaced(0, g1)),
        ("B outside the subgroup", replaced(b_at, g2)),
        ("C outside the subgroup", replaced(c_at, g1)),
        ("A at infinity", replaced(0, &[0; G1])),
        ("B at infinity", replaced(b_at, &[0; G2])),
        ("C at infinity", replaced(c_at, &[0; G1])),
        ("all at infinity", vec![0; proof.len()]),
        ("all ones", vec![0xff; proof.len()]),
        ("A and C swapped", [&proof[c_at..], &proof[b_at..c_at], &proof[..b_at]].concat()),
        ("C is A", replaced(c_at, &proof[..G1])),
        ("cut short", proof[..proof.len() - 1].to_vec()),
        ("empty", vec![]),
        ("too long", [&proof[..], &[0]].concat()),
    ];
    for coordinate in 0..8 {
        cases.push(("coordinate plus q", plus_q(coordinate * FQ)));
        cases.push(("coordinate off the curve", flipped(coordinate * FQ + FQ - 1)));
    }
    for (attack, altered) in cases {
        assert!(!key.verify(&altered, &signals), "{attack}");
    }
    assert!(key.verify(&proof, &signals));
}

#[test]
fn a_rerandomised_proof_is_still_a_proof() {
    // Groth16 is malleable: (x A, B / x, C) is valid as well. No code may rely on proofs being unique.
    let (key, proof, signals) = honest();
    let a = encoding::g1(&proof[..G1]).unwrap();
    let b = encoding::g2(&proof[G1..G1 + G2]).unwrap();
    let x = Fr::from(9u64);
    let mut other = Vec::new();
    encoding::push_g1(&mut other, &(a * x).into());
    encoding::push_g2(&mut other, &(b * x.inverse().unwrap()).into());
    other.extend(&proof[G1 + G2..]);
    assert!(key.verify(&other, &signals));
}

#[test]
fn a_malformed_verification_key_is_refused() {
    let vkey = setup().vkey;
    for length in [0, 1, G1, G1 + 3 * G2, vkey.len() - 1] {
        assert!(PreparedKey::parse(&vkey[..length]).is_none());
    }
    let mut altered = vkey.clone();
    altered[G1 - 1] ^= 1;
    assert!(PreparedKey::parse(&altered).is_none());
    assert!(PreparedKey::parse(&vkey).is_some());
}
