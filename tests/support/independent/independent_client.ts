/**
 * Parts of the clients that share no code with src/: snarkjs, npm poseidon-bls12381, @noble/curves and
 * @ton/ton, written from the protocol's documents alone.
 */
import assert from "node:assert/strict";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { Address, beginCell, type Cell, internal, SendMode } from "@ton/core";
import { mnemonicToPrivateKey } from "@ton/crypto";
import { type TonClient, WalletContractV4, WalletContractV5R1 } from "@ton/ton";
import { poseidon2 } from "poseidon-bls12381";
import { openSnarkjs } from "../../../testkit/toolchain/snarkjs.ts";

export const HEIGHT = 20;
const { Fr, Fp, Fp2 } = bls12_381.fields;
const LOCALNET_ID = -3;

export const integer = (bytes: Uint8Array) =>
  BigInt(`0x${Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("")}`);
export const hash = (left: bigint, right: bigint): bigint => poseidon2([left, right]);
export const zeros = [integer(keccak_256(new TextEncoder().encode("tornado"))) % Fr.ORDER];
while (zeros.length <= HEIGHT) zeros.push(hash(zeros[zeros.length - 1], zeros[zeros.length - 1]));

/** Returns the root and the path of leaf `index`, computed level by level in the simplest way. */
export function pathOf(leaves: readonly bigint[], index: number) {
  let level = [...leaves];
  const pathElements: bigint[] = [];
  const pathIndices: number[] = [];
  for (let height = 0; height < HEIGHT; height++, index >>= 1) {
    pathElements.push(level[index ^ 1] ?? zeros[height]);
    pathIndices.push(index & 1);
    const parents = [];
    for (let i = 0; i < level.length; i += 2) parents.push(hash(level[i], level[i + 1] ?? zeros[height]));
    level = parents;
  }
  return { root: level[0] ?? zeros[HEIGHT], pathElements, pathIndices };
}

export function fieldOf({ workChain, hash: account }: Address): bigint {
  return integer(sha256(Uint8Array.from([workChain & 0xff, ...account]))) >> 2n;
}

export interface SnarkProof {
  pi_a: string[];
  pi_b: string[][];
  pi_c: string[];
}

export function proofCell({ pi_a, pi_b, pi_c }: SnarkProof): Cell {
  const g1 = ([x, y]: string[]) =>
    integer(
      bls12_381.G1.Point.fromAffine({ x: Fp.create(BigInt(x)), y: Fp.create(BigInt(y)) }).toBytes(true),
    );
  const pair = ([c0, c1]: string[]) => Fp2.create({ c0: BigInt(c0), c1: BigInt(c1) });
  const b = integer(bls12_381.G2.Point.fromAffine({ x: pair(pi_b[0]), y: pair(pi_b[1]) }).toBytes(true));
  return beginCell().storeUint(g1(pi_a), 384).storeUint(g1(pi_c), 384)
    .storeRef(beginCell().storeUint(b, 768)).endCell();
}

const artifact = (name: string) => Deno.readFile(new URL(`../../../artifacts/${name}`, import.meta.url));

type Inputs = Record<string, bigint | readonly bigint[] | readonly number[]>;

/** Returns a function that proves with snarkjs and the committed keys. */
export async function openIndependentProver() {
  const snarkjs = await openSnarkjs();
  return async (circuit: string, inputs: Inputs) => {
    const [program, key] = await Promise.all([artifact(`${circuit}.wasm`), artifact(`${circuit}.zkey`)]);
    const asText = JSON.parse(JSON.stringify(inputs, (_, x) => typeof x === "bigint" ? String(x) : x));
    const { proof, publicSignals } = await snarkjs.groth16.fullProve(asText, { type: "mem", data: program }, {
      type: "mem",
      data: key,
    });
    return { proof, publicSignals, cell: proofCell(proof as unknown as SnarkProof) };
  };
}

export interface LocalWallet {
  readonly address: string;
  readonly mnemonic: string;
  readonly version: string;
}

/** Opens a wallet of the local network, with a function that sends messages with bodies. */
export async function openIndependentWallet(client: TonClient, { address, mnemonic, version }: LocalWallet) {
  const { publicKey, secretKey } = await mnemonicToPrivateKey(mnemonic.split(" "));
  const contract = version === "v4R2"
    ? WalletContractV4.create({ workchain: 0, publicKey })
    : WalletContractV5R1.create({ publicKey, walletId: { networkGlobalId: LOCALNET_ID } });
  assert.ok(contract.address.equals(Address.parse(address)));
  const wallet = client.open(contract as WalletContractV4);
  return {
    address: contract.address,
    async send(to: Address, messages: readonly { readonly value: bigint; readonly body: Cell }[]) {
      await wallet.sendTransfer({
        seqno: await wallet.getSeqno(),
        secretKey,
        messages: messages.map(({ value, body }) => internal({ to, value, bounce: true, body })),
        sendMode: SendMode.PAY_GAS_SEPARATELY,
      });
    },
  };
}

/** Sends a request to a relayer: a GET, or a POST of JSON. */
export async function askRelayer(relayer: string, path: string, json?: unknown) {
  const response = await fetch(
    `${relayer}${path}`,
    json === undefined ? {} : {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(json),
    },
  );
  return { status: response.status, json: await response.json() };
}
