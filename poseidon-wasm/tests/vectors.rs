//! Claims about hashes: they match published ones, also for inputs at the limits of 32 bytes. Tests build with overflow
//! checks, so they also show that no limb wraps.

use poseidon_wasm::{hash_level, hash_one, hash_two, poseidon1, poseidon2};

const R_MINUS_1: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000000";
const R: &str = "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
const TOP: &str = "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

fn element(hex: &str) -> [u8; 32] {
    let padded = format!("{hex:0>64}");
    core::array::from_fn(|i| u8::from_str_radix(&padded[2 * i..2 * i + 2], 16).unwrap())
}

#[test]
fn one_input_hashes_as_published() {
    for (input, digest) in [
        ("1", "49a66f6b01dbc6440d1a5f920e027b94429916f2c821a920cf6203ad3de56cea"),
        ("0", "06370215ae802193968387eff7cd6ca32ade8e87144f48ceb53c047d4e22ee46"),
        (R_MINUS_1, "11461914c9b0690ef226e8fd2b22fa59b638dd874878ec90a99e2c68f9f4553b"),
    ] {
        assert_eq!(hash_one(&element(input)), element(digest));
    }
}

#[test]
fn two_inputs_hash_as_published() {
    for (left, right, digest) in [
        ("1", "2", "3fb8310b0e962b75bffec5f9cfcbf3f965a7b1d2dcac8d95ccb13d434e08e5fa"),
        ("0", "0", "720772992425c4618eaf8a7ff4b6ad5333a76fe17dd3624e2329a57dfaaa505e"),
        (R_MINUS_1, R_MINUS_1, "1e65aac7be25b3ed5be46ffab1d133f1dc01c0441cae949032750a6894d7986d"),
    ] {
        assert_eq!(hash_two(&element(left), &element(right)), element(digest));
    }
}

#[test]
fn any_256_bits_hash_as_their_residue() {
    let residue = element("1824b159acc5056f998c4fefecbc4ff55884b7fa0003480200000001fffffffd"); // 2^256 - 1 - 2 r
    assert_eq!(hash_one(&element(R)), hash_one(&element("0")));
    assert_eq!(hash_one(&element(TOP)), hash_one(&residue));
    assert_eq!(hash_two(&element(TOP), &element(R)), hash_two(&residue, &element("0")));
    assert_eq!(hash_two(&element(R), &element(TOP)), hash_two(&element("0"), &residue));
}

#[test]
fn batches_are_the_single_hashes_in_order() {
    let inputs: Vec<[u8; 32]> = (0..7u8).map(|i| [i; 32]).collect();
    let each: Vec<u8> = inputs.iter().flat_map(hash_one).collect();
    assert_eq!(poseidon1(inputs.as_flattened()), each);
    let pairs: Vec<u8> = inputs[..6].chunks(2).flat_map(|pair| hash_two(&pair[0], &pair[1])).collect();
    assert_eq!(poseidon2(inputs[..6].as_flattened()), pairs);
}

#[test]
fn an_odd_level_ends_with_the_empty_subtree() {
    let nodes: Vec<[u8; 32]> = (0..3u8).map(|i| [i; 32]).collect();
    let zero = [9; 32];
    let parents = [hash_two(&nodes[0], &nodes[1]), hash_two(&nodes[2], &zero)];
    assert_eq!(hash_level(nodes.as_flattened(), &zero), parents.as_flattened());
    assert!(hash_level(&[], &zero).is_empty());
}
