/** Example requests and responses of the API's documentation. The numbers are invented and consistent. */
import { Address } from "@ton/core";
import { addressToField } from "../../core/protocol/messages/address_field.ts";
import { fieldToHex } from "../../core/crypto/field.ts";

const pool = "kQCrq6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq36u";
const recipient = "0QBCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQoOt";
const relayer = "0QAREREREREREREREREREREREREREREREREREREREREREQBc";
const root = 0x1f7a2c5e9b04d86331c0ae57f2894b6dc3507ae19f264d8b70e5c1a3924f68d7n;
const nullifierHash = 0x2b9c41d07e35f8a6129d0cb4e8f7563a1d92c085be4f7360a9d815c2f3640e71n;
const commitment = 0x0c4e8d21f6b37a905d1e82c4f9067b3a85d2e1c70f4b9638ad5c2719e03f64b8n;
const [fee, refund] = ["60000000", "0"];
const txHash = "5d".repeat(32);

/** The generators of both groups, in the format of snarkjs. */
const g1 = [
  "3685416753713387016781088315183077757961620795782546409894578378688607592378376318836054947676345821548104185464507",
  "1339506544944476473020471379941921221584933875938349620426543736416511423956333506472724655353366534992391756441569",
  "1",
];
const g2 = [
  [
    "352701069587466618187139116011060144890029952792775240219908644239793785735715026873347600343865175952761926303160",
    "3059144344244213709971259814753781636986470325476647558659373206291635324768958432433509563104347017837885763365758",
  ],
  [
    "1985150602287291935568054521177171638300868978215655730859378665066344726373823718423869104263333984641494340347905",
    "927553665492332455747201965776037880757740193453592970025027978793976877002675564980949289727957565575433344219582",
  ],
  ["1", "0"],
];

const fieldOf = (address: string) => String(addressToField(Address.parse(address)));

export const requestExamples = {
  withdraw: {
    pool,
    proof: { pi_a: g1, pi_b: g2, pi_c: g1, protocol: "groth16", curve: "bls12381" },
    publicSignals: [String(root), String(nullifierHash), fieldOf(recipient), fieldOf(relayer), fee, refund],
    recipient,
    fee,
    refund,
  },
  withdrawStatus: { pool, nullifierHash: fieldToHex(nullifierHash) },
  noteCheck: { pool, nullifierHash: fieldToHex(nullifierHash) },
};

const accepted = {
  pool,
  nullifierHash: fieldToHex(nullifierHash),
  state: "accepted",
  seqno: null,
  fee,
  refund,
  messageHash: null,
  txHash: null,
  reason: null,
  acceptedAt: 1767225600,
  broadcastAt: null,
  settledAt: null,
};
const broadcast = {
  ...accepted,
  state: "broadcast",
  seqno: 42,
  messageHash: "7c".repeat(32),
  broadcastAt: 1767225602,
};

export const responseExamples = {
  status: { network: "testnet", feeBps: 50, feeMinNanoNative: "50000000", relayerAddress: relayer },
  pools: {
    network: "testnet",
    pools: {
      "native-10": {
        address: pool,
        asset: "native",
        amount: "10",
        denomination: "10000000000",
        deployedSeqno: 31415926,
        feeMin: "50000000",
        maxRefund: "100000000",
      },
    },
  },
  noteCheck: { deposited: null, leafIndex: null, timestamp: null, spent: false },
  accepted,
  broadcast,
  confirmed: { ...broadcast, state: "confirmed", txHash, settledAt: 1767225611 },
  root: { root: fieldToHex(root) },
  commitments: {
    pool,
    from: 0,
    count: 1,
    nextFrom: null,
    commitments: [{ leafIndex: 0, commitment: fieldToHex(commitment) }],
  },
  spent: { pool, from: 0, count: 1, nextFrom: null, nullifierHashes: [fieldToHex(nullifierHash)] },
  path: {
    root: fieldToHex(root),
    pathIndices: Array.from({ length: 20 }, () => 0),
    pathElements: Array.from({ length: 20 }, () => fieldToHex(commitment)),
  },
  livez: { status: "alive" },
  ready: {
    ready: true,
    dependencies: { registry: { state: "ok" }, store: { state: "ok" }, chain: { state: "ok" } },
    pools: { "native-10": { ready: true, leaves: 1 } },
    leads: true,
  },
};
