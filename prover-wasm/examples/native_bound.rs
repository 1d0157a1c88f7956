//! Measures arkworks' time for a proof's sums and transforms as native code on one thread, for comparison with
//! WebAssembly. `native_bound <zkey> <rounds>` prints the milliseconds of each round, one per line.

use ark_bls12_381::{Fr, G1Projective, G2Projective};
use ark_ec::VariableBaseMSM;
use ark_ff::{PrimeField, UniformRand};
use ark_std::test_rng;
use prover_wasm::{domain::to_odd_coset, msm::Scalar, zkey::ProvingKey};
use std::{hint::black_box, time::Instant};

/// The number of vectors that are transformed to the odd coset for H: those of A, B and C.
const TRANSFORMS: usize = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, zkey, rounds] = arguments.as_slice() else { panic!("native_bound <zkey> <rounds>") };
    let key = ProvingKey::parse(&std::fs::read(zkey).expect("the key is read")).expect("it is a key");
    let g1 = [&key.a, &key.b_g1, &key.c, &key.h].map(|p| p.iter().map(|p| p.to_ark()).collect::<Vec<_>>());
    let g2: Vec<_> = key.b_g2.iter().map(|p| p.to_ark()).collect();
    let mut rng = test_rng();
    let most = g1.iter().map(Vec::len).chain([g2.len(), key.domain]).max().unwrap_or(0);
    let values: Vec<Fr> = (0..most).map(|_| Fr::rand(&mut rng)).collect();
    let scalars: Vec<Scalar> = values.iter().map(|x| x.into_bigint()).collect();
    for _ in 0..rounds.parse().expect("a number of rounds") {
        let began = Instant::now();
        for points in &g1 {
            let _ = black_box(G1Projective::msm_bigint(points, &scalars[..points.len()]));
        }
        let _ = black_box(G2Projective::msm_bigint(&g2, &scalars[..g2.len()]));
        for _ in 0..TRANSFORMS {
            let mut vector = values[..key.domain].to_vec();
            to_odd_coset(&mut vector);
            black_box(vector);
        }
        println!("{:.3}", began.elapsed().as_secs_f64() * 1000.0);
    }
}
