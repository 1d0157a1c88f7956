import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { jettonChecks } from "./jetton_checks.ts";
import type { PoolFacts } from "./pool_facts.ts";

const someone = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
const [address, master, wallet, stranger] = ["11", "22", "33", "44"].map(someone);

type Part = Pick<PoolFacts, "address" | "info" | "jetton" | "denomination">;
const sound: Part = {
  address,
  info: {
    assetKind: "jetton",
    version: 1,
    owner: null,
    jettonMaster: master,
    jettonWallet: wallet,
    paused: false,
    deposits: 4,
    withdrawals: 1,
    capacity: 100,
    debt: 0n,
    touched: 0,
    claims: 0,
  },
  denomination: 10n,
  jetton: { expectedWallet: wallet, walletData: { balance: 30n, owner: address, master } },
};
const { info, jetton } = sound;
const empty = { ...info, deposits: 0, withdrawals: 0 };
const data = jetton!.walletData!;

const cases: [what: string, change: Partial<Part>, findings: string[]][] = [
  ["in order", {}, []],
  ["empty, its wallet not deployed yet", { info: empty, jetton: { expectedWallet: wallet } }, []],
  ["before discovery", { info: { ...empty, jettonWallet: null }, jetton: { expectedWallet: wallet } }, [
    "jetton warning",
  ]],
  ["trusting another wallet than the master's", { jetton: { ...jetton, expectedWallet: stranger } }, [
    "jetton failed",
  ]],
  ["whose wallet has another owner", { jetton: { ...jetton, walletData: { ...data, owner: stranger } } }, [
    "jetton failed",
  ]],
  [
    "whose wallet belongs to another jetton",
    { jetton: { ...jetton, walletData: { ...data, master: stranger } } },
    [
      "jetton failed",
    ],
  ],
  ["whose master does not answer", { jetton: { fault: "exit code 11" } }, [
    "jetton failed",
    "jettons failed",
  ]],
  ["one unit short", { jetton: { ...jetton, walletData: { ...data, balance: 29n } } }, ["jettons failed"]],
  ["with gifts", { jetton: { ...jetton, walletData: { ...data, balance: 31n } } }, []],
  ["with notes and no wallet", { jetton: { expectedWallet: wallet } }, ["jettons failed"]],
];
for (const [what, change, expected] of cases) {
  Deno.test(`audit of a jetton pool ${what}: ${expected.join(", ") || "passes"}`, () => {
    const checks = jettonChecks({ ...sound, ...change } as PoolFacts);
    const findings = checks.filter(({ verdict }) => verdict !== "ok");
    assert.deepEqual(findings.map(({ name, verdict }) => `${name} ${verdict}`), expected);
  });
}

Deno.test("a native pool has no jetton checks", () => {
  assert.deepEqual(jettonChecks({ ...sound, info: { ...info, assetKind: "native" } } as PoolFacts), []);
});
