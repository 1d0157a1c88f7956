//! Random numbers for tests. The seed is the same in every run unless `TONADO_SEED` sets it, which `deno task
//! test:deep` does; it prints the seed.

use ark_std::rand::{SeedableRng, rngs::StdRng};

/// The seed of testkit/random/property_runs.ts.
const SEED: u64 = 20261121;

/// Returns a generator that starts from the seed.
pub fn test_rng() -> StdRng {
    let seed =
        std::env::var("TONADO_SEED").map_or(SEED, |text| text.parse().expect("TONADO_SEED is a number"));
    println!("TONADO_SEED={seed}"); // shown when the test fails
    StdRng::seed_from_u64(seed)
}
