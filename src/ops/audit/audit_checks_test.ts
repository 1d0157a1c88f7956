import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { zeros } from "../../core/tree/zeros.ts";
import { poolFunds, surplusEnd } from "../../ton/pool/pool_funds.ts";
import { auditChecks, type Check } from "./audit_checks.ts";
import type { PoolFacts } from "./pool_facts.ts";

const TON = 1_000_000_000n;
const address = Address.parse("0:" + "11".repeat(32));
const owner = Address.parse("0:" + "0a".repeat(32));
const codeHash = "c0".repeat(32);
const vkeyHash = "bb".repeat(32);

const sound: PoolFacts = {
  network: "mainnet",
  networkVersion: 12,
  address,
  codeHash,
  build: { codeHash, vkeyHash, keys: { label: "keys of a ceremony", development: false, weak: false } },
  info: {
    assetKind: "native",
    version: 1,
    owner: null,
    jettonMaster: null,
    jettonWallet: null,
    paused: false,
    deposits: 4,
    withdrawals: 1,
    capacity: 100,
    debt: TON / 100n,
    touched: 0,
    claims: 0,
  },
  denomination: 10n * TON,
  generation: 0,
  registryEntry: {
    key: "native-10",
    deployment: {
      address,
      asset: "native",
      amount: "10",
      denomination: 10n * TON,
      deployedSeqno: 1,
      codeHash,
      vkeyHash,
      owner: null,
    },
  },
  balance: 32n * TON,
  readAt: Date.UTC(2027, 0, 1) / 1000,
  storageDue: 0n,
  storagePerYear: TON / 10n,
  nextIndex: 4,
  roots: [4n, 3n, 2n, 1n],
  currentRoot: 4n,
  rebuilt: { leaves: 4, rootHistory: [4n, 3n, 2n, 1n], withdrawals: 1, distinctNullifiers: 1 },
};
const { info, rebuilt, build, registryEntry } = sound;

function findings(facts: PoolFacts): string[] {
  return auditChecks(facts).filter(({ verdict }) => verdict !== "ok").map(({ name, verdict }) =>
    `${name} ${verdict}`
  );
}

Deno.test("a sound pool passes every check", () => {
  assert.deepEqual(findings(sound), []);
});

const development = {
  ...build,
  keys: { label: "development keys, insecure", development: true, weak: false },
};
const weak = { ...build, keys: { label: "weak ceremony keys", development: false, weak: true } };
const entry = registryEntry!.deployment;
const cases: [what: string, change: Partial<PoolFacts>, findings: string[]][] = [
  ["a network without the instructions that contracts use", { networkVersion: 11 }, ["network failed"]],
  ["a newer network", { networkVersion: 15 }, []],
  ["other code", { codeHash: "00".repeat(32) }, ["code failed", "keys failed", "registry failed"]],
  ["an initial state with planted roots", { generation: undefined }, ["origin failed"]],
  ["another generation than the registry's", { generation: 2 }, ["registry failed"]],
  [
    "the generation that the registry has",
    {
      generation: 2,
      registryEntry: { key: "k", deployment: { ...registryEntry!.deployment, generation: 2 } },
    },
    [],
  ],
  ["development keys on mainnet", { build: development }, ["keys failed"]],
  ["keys of too few contributors on mainnet", { build: weak }, ["keys warning"]],
  ["development keys on testnet", { network: "testnet", build: development }, ["keys warning"]],
  ["an owner on mainnet", { info: { ...info, owner } }, ["owner failed", "registry failed"]],
  [
    "an owner on testnet, who stands in the registry",
    {
      network: "testnet",
      info: { ...info, owner },
      registryEntry: { key: "k", deployment: { ...entry, owner } },
    },
    ["owner warning"],
  ],
  [
    "a burned pool that should have an owner",
    { registryEntry: { key: "k", deployment: { ...entry, owner } } },
    ["registry failed"],
  ],
  ["another denomination in the registry", {
    registryEntry: { key: "k", deployment: { ...entry, denomination: 1n } },
  }, [
    "registry failed",
  ]],
  ["other keys in the registry", {
    registryEntry: { key: "k", deployment: { ...entry, vkeyHash: codeHash } },
  }, [
    "registry failed",
  ]],
  [
    "another asset in the registry",
    { registryEntry: { key: "k", deployment: { ...entry, asset: "usdt" } } },
    [
      "registry failed",
    ],
  ],
  ["no registry", { registryEntry: undefined }, ["registry warning"]],
  ["a pause", { info: { ...info, paused: true } }, ["paused warning"]],
  ["room for more than a tenth", { info: { ...info, capacity: 5 } }, []],
  ["nine tenths of the capacity used", { info: { ...info, capacity: 4.4 } }, ["capacity warning"]],
  ["no room", { info: { ...info, capacity: 4 } }, ["capacity warning"]],
  [
    "just enough for notes less the debt to come",
    { balance: 30n * TON - TON / 100n, storagePerYear: 0n },
    [],
  ],
  ["one nano less than that", { balance: 30n * TON - TON / 100n - 1n, storagePerYear: 0n }, [
    "balance failed",
  ]],
  ["a balance that storage has eaten", { storageDue: 2n * TON + TON / 100n + 1n, storagePerYear: 0n }, [
    "balance failed",
  ]],
  ["a reserve for less than a year", { balance: 30n * TON }, ["runway warning"]],
  ["storage for less than a year", { storagePerYear: 33n * TON }, ["runway failed"]],
  ["storage for a year, with the notes' money", { storagePerYear: 32n * TON }, ["runway warning"]],
  ["a due above the balance", { storageDue: 33n * TON }, ["balance failed", "runway failed"]],
  ["logs of fewer deposits", { rebuilt: { ...rebuilt, leaves: 3 } }, ["tree failed"]],
  ["a getter that counts one deposit more", { info: { ...info, deposits: 5 }, balance: 60n * TON }, [
    "tree failed",
  ]],
  ["an index that is one ahead", { nextIndex: 5 }, ["tree failed"]],
  ["a gap in the logs", { rebuilt: { ...rebuilt, fault: "found leaf 3, expected leaf 2" } }, ["tree failed"]],
  ["another root", { currentRoot: 5n }, ["tree failed"]],
  ["a root of somebody's own among the last", { roots: [4n, 3n, 9n, 1n] }, ["tree failed"]],
  ["a root too many", { roots: [4n, 3n, 2n, 1n, zeros[20]] }, ["tree failed"]],
  ["a note spent twice", { rebuilt: { ...rebuilt, withdrawals: 2 }, info: { ...info, withdrawals: 2 } }, [
    "withdrawals failed",
  ]],
  [
    "more withdrawals than deposits",
    {
      rebuilt: { ...rebuilt, withdrawals: 5, distinctNullifiers: 5 },
      info: { ...info, withdrawals: 5 },
    },
    ["withdrawals failed"],
  ],
  [
    "as many withdrawals as deposits",
    {
      rebuilt: { ...rebuilt, withdrawals: 4, distinctNullifiers: 4 },
      info: { ...info, withdrawals: 4 },
    },
    [],
  ],
  ["withdrawals without a log", { info: { ...info, withdrawals: 2 } }, ["withdrawals failed"]],
];

for (const [what, change, expected] of cases) {
  Deno.test(`audit: ${what}: ${expected.join(", ") || "passes"}`, () => {
    assert.deepEqual(findings({ ...sound, ...change }), expected);
  });
}

Deno.test("a failed check reports the size of the shortfall", () => {
  const detail = (facts: PoolFacts, name: string) =>
    (auditChecks(facts).find((check) => check.name === name) as Check).detail;
  assert.match(
    detail({ ...sound, balance: 29n * TON }, "balance"),
    /is short by 0\.99 GRAM for notes worth 30 GRAM, of which withdrawals repay 0\.01 GRAM/,
  );
  assert.match(detail({ ...sound, storagePerYear: 64n * TON }, "runway"), /paid for 0\.5 years/);
  assert.match(detail(sound, "capacity"), /^4 of 100 deposits \(4\.0 %\)/);
});

Deno.test("a jetton pool owes its notes in jettons, not out of its balance", () => {
  const facts: PoolFacts = { ...sound, info: { ...info, assetKind: "jetton", debt: 0n }, balance: 2n * TON };
  const { unspentNotes: notes, obligations, shortfall, runwayYears } = poolFunds(facts);
  assert.deepEqual([notes, obligations, shortfall, runwayYears], [0n, 0n, 0n, 20]);
});

Deno.test("free storage gives an infinite runway", () => {
  assert.equal(poolFunds({ ...sound, storagePerYear: 0n }).runwayYears, Infinity);
});

Deno.test("the surplus is what a pool holds beyond its obligations, with the day when storage has consumed it", () => {
  const detail = (facts: PoolFacts) =>
    (auditChecks(facts).find(({ name }) => name === "runway") as Check).detail;
  const funds = poolFunds(sound);
  assert.equal(funds.surplus, 2n * TON + TON / 100n);
  assert.equal(surplusEnd(funds, 1_000), 1_000 + Math.floor(20.1 * 31_557_600));
  assert.match(detail(sound), /consumed the surplus of 2\.01 GRAM by 2047-02-06$/);
  assert.match(detail({ ...sound, storagePerYear: 0n }), /the surplus of 2\.01 GRAM never$/);
  assert.match(detail({ ...sound, storagePerYear: 1n }), /the surplus of 2\.01 GRAM never$/);
  const short = { ...sound, balance: 29n * TON };
  assert.equal(poolFunds(short).surplus, -(TON - TON / 100n));
  assert.ok(!detail(short).includes("surplus"));
  const jetton: PoolFacts = { ...sound, info: { ...info, assetKind: "jetton", debt: 0n }, balance: 2n * TON };
  assert.equal(poolFunds({ ...jetton, storageDue: TON }).surplus, TON);
});
