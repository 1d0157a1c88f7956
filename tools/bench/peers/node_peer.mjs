/** The Node side of node_peer.ts: reads requests from standard input and answers each with a line. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import process from "node:process";

const load = createRequire(`${process.argv[2]}/package.json`);

/** Returns the sections of a snarkjs file by number. */
function sectionsOf(file) {
  const bytes = readFileSync(file);
  const sections = {};
  let at = 12;
  for (let left = bytes.readUInt32LE(8); left > 0; left--) {
    const length = Number(bytes.readBigUInt64LE(at + 4));
    sections[bytes.readUInt32LE(at)] = bytes.subarray(at + 12, at + 12 + length);
    at += 12 + length;
  }
  return sections;
}

/** Returns a section's points other than infinity, and their scalars, concatenated. */
function terms({ zkey, scalars, section }, pointBytes) {
  const [points, factors] = [sectionsOf(zkey)[section], readFileSync(scalars)];
  const kept = [];
  for (let i = 0; i * pointBytes < points.length; i++) {
    const point = points.subarray(i * pointBytes, (i + 1) * pointBytes);
    if (point.some((byte) => byte !== 0)) kept.push([point, factors.subarray(i * 32, (i + 1) * 32)]);
  }
  return [0, 1].map((part) => new Uint8Array(Buffer.concat(kept.map((term) => term[part]))));
}

const opened = new Map();
/** Prepares a sum. */
async function openSum(order) {
  if (!opened.has(order.section)) {
    const curve = await load("ffjavascript").getCurveFromName("bls12381", { singleThread: true });
    const group = curve[order.group];
    opened.set(order.section, { group, pair: terms(order, 2 * group.F.n8) });
  }
  return opened.get(order.section);
}

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
  zkeyVariables({ zkey }) {
    const header = sectionsOf(zkey)[2]; // q and r with their lengths, then the number of variables
    const afterQ = 4 + header.readUInt32LE(0);
    return header.readUInt32LE(afterQ + 4 + header.readUInt32LE(afterQ));
  },
  async msm(order) {
    const { group, pair: [points, scalars] } = await openSum(order);
    const sum = await group.multiExpAffine(points, scalars);
    const affine = group.toObject(group.toAffine(sum)).slice(0, 2);
    return { points: scalars.length / 32, sum: affine.flat().map(String) };
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
