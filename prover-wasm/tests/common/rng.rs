//! Randomness of tests: the same in every run, or that of the seed in `TONADO_SEED`, which `deno task test:deep` chooses
//! and prints.

use ark_std::rand::{SeedableRng, rngs::StdRng};

/// As in testkit/random/property_runs.ts.
const SEED: u64 = 20261121;

/// A generator from its beginning.
pub fn test_rng() -> StdRng {
    let seed =
        std::env::var("TONADO_SEED").map_or(SEED, |text| text.parse().expect("TONADO_SEED is a number"));
    println!("TONADO_SEED={seed}"); // shown when the test fails
    StdRng::seed_from_u64(seed)
}
