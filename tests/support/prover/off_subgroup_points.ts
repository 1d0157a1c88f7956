/** Points on the curves outside the subgroups of order r, which a careless verifier would accept. */
import { bls12_381 } from "@noble/curves/bls12-381.js";

const { Fp, Fp2 } = bls12_381.fields;

/** Returns the first point by x on G1's curve that is outside the subgroup, in snarkjs' form. */
export function offSubgroupG1(): string[] {
  for (let x = 0n;; x++) {
    const y = squareRoot(() => Fp.sqrt(Fp.add(Fp.pow(x, 3n), 4n)));
    if (y === undefined) continue;
    const point = bls12_381.G1.Point.fromAffine({ x, y });
    if (!point.isTorsionFree()) return [String(x), String(y), "1"];
  }
}

/** Works like {@linkcode offSubgroupG1}, for G2. */
export function offSubgroupG2(): string[][] {
  for (let c0 = 0n;; c0++) {
    const x = Fp2.create({ c0, c1: 0n });
    const y = squareRoot(() => Fp2.sqrt(Fp2.add(Fp2.pow(x, 3n), Fp2.create({ c0: 4n, c1: 4n }))));
    if (y === undefined) continue;
    const point = bls12_381.G2.Point.fromAffine({ x, y });
    if (!point.isTorsionFree()) {
      return [[String(x.c0), String(x.c1)], [String(y.c0), String(y.c1)], ["1", "0"]];
    }
  }
}

function squareRoot<T>(root: () => T): T | undefined {
  try {
    return root();
  } catch {
    return undefined; // noble throws if there is none
  }
}
