import assert from "node:assert/strict";
import { Address } from "@ton/core";
import { jettonChecks } from "./jetton_checks.ts";
import type { PoolFacts } from "./pool_facts.ts";

const someone = (byte: string) => Address.parse(`0:${byte.repeat(32)}`);
const [address, master, wallet, stranger] = ["11", "22", "33", "44"].map(someone);

type Part = Pick<PoolFacts, "address" | "info" | "jetton" | "denomination">;
/** A pool of 10 with three unspent notes, as it should be. */
const sound: Part = {
  address,
  info: {
    assetKind: "jetton",
    owner: null,
    jettonMaster: master,
    jettonWallet: wallet,
    paused: false,
    deposits: 4,
    withdrawals: 1,
    capacity: 100,
    debt: 0n,
    touched: 0,
  },
  denomination: 10n,
  jetton: { given: wallet, wallet: { balance: 30n, owner: address, master } },
};
const { info, jetton } = sound;
const empty = { ...info, deposits: 0, withdrawals: 0 };
const data = jetton!.wallet!;

const cases: [what: string, change: Partial<Part>, troubles: string[]][] = [
  ["as it should be", {}, []],
  ["empty, its wallet not deployed yet", { info: empty, jetton: { given: wallet } }, []],
  ["before discovery", { info: { ...empty, jettonWallet: null }, jetton: { given: wallet } }, [
    "jetton warning",
  ]],
  ["listening to another wallet than the master's", { jetton: { ...jetton, given: stranger } }, [
    "jetton failed",
  ]],
  ["whose wallet is another's", { jetton: { ...jetton, wallet: { ...data, owner: stranger } } }, [
    "jetton failed",
  ]],
  ["whose wallet is of another jetton", { jetton: { ...jetton, wallet: { ...data, master: stranger } } }, [
    "jetton failed",
  ]],
  ["whose master does not answer", { jetton: { fault: "exit code 11" } }, [
    "jetton failed",
    "jettons failed",
  ]],
  ["one unit short", { jetton: { ...jetton, wallet: { ...data, balance: 29n } } }, ["jettons failed"]],
  ["with gifts", { jetton: { ...jetton, wallet: { ...data, balance: 31n } } }, []],
  ["with notes and no wallet", { jetton: { given: wallet } }, ["jettons failed"]],
];
for (const [what, change, expected] of cases) {
  Deno.test(`audit of a jetton pool ${what}: ${expected.join(", ") || "passes"}`, () => {
    const checks = jettonChecks({ ...sound, ...change } as PoolFacts);
    const troubles = checks.filter(({ verdict }) => verdict !== "ok");
    assert.deepEqual(troubles.map(({ name, verdict }) => `${name} ${verdict}`), expected);
  });
}

Deno.test("a native pool is asked nothing of a jetton", () => {
  assert.deepEqual(jettonChecks({ ...sound, info: { ...info, assetKind: "native" } } as PoolFacts), []);
});
