import assert from "node:assert/strict";
import { Address, Cell } from "@ton/core";
import { SpentSet } from "../../../core/protocol/v2/spent_set.ts";
import { encodeV2PoolData, type V2PoolState } from "../../../ton/pool/v2/pool_state.ts";
import { auditChecks, auditedFunds } from "../audit_checks.ts";
import type { PoolFacts } from "../pool_facts.ts";
import type { RebuiltV2Pool } from "./rebuilt_pool.ts";
import { tryDecodeV2PoolData, type V2Facts } from "./v2_facts.ts";

const TON = 1_000_000_000n;
const address = Address.parse("0:" + "11".repeat(32));
const [codeHash, vkeyHash] = ["c0".repeat(32), "bb".repeat(32)];
const hashes = [5n, 4096n + 5n, 9n];
const spent = new SpentSet();
for (const hash of hashes) spent.add(hash);
const state: V2PoolState = {
  denomination: 10n * TON,
  deposits: 300,
  settled: 290,
  withdrawals: 3,
  debt: TON / 100n,
  pending: TON / 1000n,
  touched: 0,
  settledAt: 5000,
  waitingSince: 6000,
  paused: false,
  spent,
  commitment: (leafIndex: number) => BigInt(leafIndex + 1),
  roots: [11n, 12n, 13n],
  generation: 0,
  owner: null,
};
const rebuilt: RebuiltV2Pool = {
  leaves: 290,
  commitments: Array.from({ length: 300 }, (_, i) => BigInt(i + 1)),
  rootCount: 3,
  acceptedRoots: [11n, 12n, 13n],
  rootHistory: [13n, 12n, 11n],
  spent,
  withdrawals: 3,
  distinctNullifiers: 3,
  times: { touched: 0, settledAt: 5000, waitingSince: 6000 },
};
const version2: V2Facts = {
  rebuilt,
  stored: tryDecodeV2PoolData(encodeV2PoolData(state)),
  settleInfo: {
    settled: 290,
    rootCount: 3,
    pending: TON / 1000n,
    settledAt: 5000,
    waitingSince: 6000,
    settlementCost: TON / 100n,
  },
};
const sound: PoolFacts = {
  network: "mainnet",
  networkVersion: 12,
  address,
  codeHash,
  denomination: 10n * TON,
  generation: 0,
  readAt: 7000,
  build: { codeHash, vkeyHash, keys: { label: "keys of a ceremony", development: false, weak: false } },
  info: {
    assetKind: "native",
    version: 2,
    owner: null,
    jettonMaster: null,
    jettonWallet: null,
    paused: false,
    deposits: 300,
    withdrawals: 3,
    capacity: 1_048_576,
    debt: TON / 100n,
    touched: 0,
    claims: 0,
  },
  registryEntry: {
    key: "native-10-v2",
    deployment: {
      address,
      asset: "native",
      amount: "10",
      version: 2,
      denomination: 10n * TON,
      deployedSeqno: 1,
      codeHash,
      vkeyHash,
      owner: null,
    },
  },
  balance: 2972n * TON,
  storageDue: 0n,
  storagePerYear: TON / 10n,
  nextIndex: 300,
  roots: [13n, 12n, 11n],
  currentRoot: 13n,
  rebuilt,
  version2,
};

function findings(change: Partial<PoolFacts>, v2: Partial<V2Facts> = {}): string[] {
  const facts = { ...sound, version2: { ...version2, ...v2 }, ...change };
  return auditChecks(facts).filter(({ verdict }) => verdict !== "ok")
    .map(({ name, verdict }) => `${name} ${verdict}`);
}

const stores = (change: Partial<V2PoolState>): Partial<V2Facts> => ({
  stored: tryDecodeV2PoolData(encodeV2PoolData({ ...state, ...change })),
});

Deno.test("a sound version 2 pool passes every check", () => {
  assert.deepEqual(findings({}), []);
});

Deno.test("the gas of deposits that wait is owed like debt", () => {
  const { debt, surplus } = auditedFunds(sound);
  assert.deepEqual([debt, surplus], [TON / 100n + TON / 1000n, 2n * TON + TON / 100n + TON / 1000n]);
});

const reversed = new SpentSet();
for (const hash of hashes.toReversed()) reversed.add(hash);
const cases: [what: string, v2: Partial<V2Facts>, findings: string[], change?: Partial<PoolFacts>][] = [
  ["logs with a fault", { rebuilt: { ...rebuilt, fault: "a gap" } }, ["tree failed"]],
  ["fewer deposits than its logs", {}, ["tree failed"], { nextIndex: 299 }],
  ["more settled than its logs", { settleInfo: { ...version2.settleInfo, settled: 291 } }, ["tree failed"]],
  ["a settlement that is not in its logs", { settleInfo: { ...version2.settleInfo, rootCount: 4 } }, [
    "tree failed",
  ]],
  ["another root", {}, ["tree failed"], { currentRoot: 14n, roots: [14n, 12n, 11n] }],
  ["another older root in its getter", {}, ["tree failed"], { roots: [13n, 12n, 10n] }],
  ["a root that only its storage has", stores({ roots: [10n, 12n, 13n] }), ["tree failed"]],
  ["a planted root beside those of its logs", stores({ roots: [66n, 11n, 12n, 13n], rootCount: 1027 }), [
    "tree failed",
  ]],
  ["another commitment in its queue", stores({ commitment: (i) => BigInt(i === 295 ? 7 : i + 1) }), [
    "queue failed",
  ]],
  ["another settled commitment in its queue", stores({ commitment: (i) => BigInt(i === 257 ? 7 : i + 1) }), [
    "queue failed",
  ]],
  ["a spent set without one of its withdrawals", stores({ spent: new SpentSet() }), ["spent failed"]],
  ["a spent set in another order", stores({ spent: reversed }), ["spent failed"]],
  ["data of another layout", { stored: undefined }, ["tree failed", "queue failed", "spent failed"]],
  ["deposits that wait for an hour", {}, ["settled warning"], { readAt: 6000 + 3601 }],
  ["an entry of version 1", {}, ["registry failed"], {
    registryEntry: {
      key: "native-10",
      deployment: { ...sound.registryEntry!.deployment, version: undefined },
    },
  }],
];
for (const [what, v2, expected, change = {}] of cases) {
  Deno.test(`a version 2 pool with ${what} is found`, () => assert.deepEqual(findings(change, v2), expected));
}

const [owner, master, wallet] = ["aa", "bb", "cc"].map((byte) => Address.parse("0:" + byte.repeat(32)));
const jettonInfo: Partial<PoolFacts["info"]> = {
  assetKind: "jetton",
  owner,
  jettonMaster: master,
  jettonWallet: wallet,
  claims: 1,
};
for (
  const [what, change] of [
    ["nothing else", {}],
    ["another owner", { owner: null }],
    ["another master", { jettonMaster: wallet }],
    ["another wallet", { jettonWallet: null }],
    ["another number of claims", { claims: 2 }],
  ] as const
) {
  Deno.test(`the ledger of a jetton pool that reports ${what} is compared with its getters`, () => {
    const claims = [{ id: 1n, amount: 5n, destination: wallet }];
    const data = encodeV2PoolData({ ...state, owner, jetton: { master, wallet, claims } });
    const info = { ...sound.info, ...jettonInfo, ...change };
    const facts = { ...sound, info, version2: { ...version2, stored: tryDecodeV2PoolData(data) } };
    const tree = auditChecks(facts).find(({ name }) => name === "tree");
    assert.equal(tree?.verdict, what === "nothing else" ? "ok" : "failed");
  });
}

Deno.test("data of another layout is not decoded", () => {
  assert.equal(tryDecodeV2PoolData(Cell.EMPTY), undefined);
});
