/** The Node side of peers.ts: reads orders from standard input, answers each with a line. */
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import process from "node:process";

const load = createRequire(`${process.argv[2]}/package.json`);

const orders = {
  async prove({ signals, program, zkey, singleThread }) {
    const { groth16 } = load("snarkjs");
    return await groth16.fullProve(signals, program, zkey, undefined, undefined, { singleThread });
  },
  async verify({ vkey, publicSignals, proof }) {
    return await load("snarkjs").groth16.verify(vkey, publicSignals, proof);
  },
  async contribute({ zkey, output }) {
    await load("snarkjs").zKey.contribute(zkey, output, "bench", "bench");
    return null;
  },
  async poseidon({ count }) {
    orders.hash ??= await load("circomlibjs").buildPoseidon();
    let node = orders.hash.F.e(1n);
    for (let i = 0; i < count; i++) node = orders.hash([node, node]);
    return orders.hash.F.toString(node);
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...args } = JSON.parse(line);
  let answer;
  try {
    answer = { result: await orders[op](args) };
  } catch (error) {
    answer = { error: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
