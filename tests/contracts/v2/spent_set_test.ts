/**
 * The carried spent set of a version 2 pool equals a plain set, and the pool refuses every path but the
 * slot's own.
 */
import assert from "node:assert/strict";
import { beginCell, Cell, contractAddress, type TupleItem, TupleReader } from "@ton/core";
import { Blockchain, createShardAccount } from "@ton/sandbox";
import { FIELD_MODULUS } from "../../../src/core/crypto/field.ts";
import { compileCached } from "../../../testkit/chain/compiled_contracts.ts";
import { freshElement } from "../../../testkit/chain/pool_sandbox.ts";
import { SpentSet } from "../../../src/core/protocol/v2/spent_set.ts";
import { drawNumbers } from "../../../testkit/chain/v2/full_pool.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { fillPath } from "../../../testkit/chain/v2/deep_slots.ts";
import { depth, seed } from "../../../testkit/random/property_runs.ts";
import { slotOf, wrongPaths } from "../../support/contracts/v2_bad_paths.ts";
import { assertAccepted, assertRefused, assertStateMirrored } from "../../support/contracts/v2_assertions.ts";

const PRESENT = 40;
/** The rounds for each kind of keys, 2,400 operations in all. `deno task test:deep` makes 36,000. */
const ROUNDS = 12 * depth;
const ROUND_SIZE = 50;

/** Opens a contract that contains only the code of the set. */
async function openProbe() {
  const code = await compileCached("testkit/chain/v2/spent_set_probe.tolk");
  const chain = await Blockchain.create();
  const address = contractAddress(0, { code, data: Cell.EMPTY });
  await chain.setShardAccount(
    address,
    createShardAccount({ address, code, data: Cell.EMPTY, balance: 1_000_000_000n }),
  );
  return async (table: Cell, keys: readonly bigint[], paths: readonly (Cell | null)[]) => {
    const stack: TupleItem[] = [
      { type: "cell", cell: table },
      { type: "tuple", items: keys.map((value) => ({ type: "int", value })) },
      { type: "tuple", items: paths.map((cell) => cell ? { type: "cell", cell } : { type: "null" }) },
    ];
    const { stack: result } = await chain.runGetMethod(address, "addAll", stack, { gasLimit: 10_000_000n });
    const reader = new TupleReader(result);
    const changed = reader.readCell();
    const codes = reader.readTuple();
    return { table: changed, codes: keys.map(() => codes.readNumber()) };
  };
}

for (
  const [what, keyOf] of Object.entries({
    "even keys": (draw: ReturnType<typeof drawNumbers>) => draw(250),
    "keys of four slots": (draw: ReturnType<typeof drawNumbers>) => (draw(238) << 12n) | draw(2),
    "keys that differ in their highest bits only": (draw: ReturnType<typeof drawNumbers>) => draw(5) << 103n,
    "keys that differ in their lowest bits only": (draw: ReturnType<typeof drawNumbers>) => draw(14),
  })
) {
  Deno.test(`the spent set equals a plain set over ${ROUNDS * ROUND_SIZE} drawn operations: ${what}`, async () => {
    const addAll = await openProbe();
    const draw = drawNumbers(BigInt(seed));
    const model = new SpentSet();
    const plain = new Set<bigint>();
    let table = model.table();
    for (let round = 0; round < ROUNDS; round++) {
      const [keys, paths, expected]: [bigint[], (Cell | null)[], number[]] = [[], [], []];
      for (let i = 0; i < ROUND_SIZE; i++) {
        const key = plain.size > 0 && draw(3) === 0n
          ? [...plain][Number(draw(30)) % plain.size]
          : keyOf(draw);
        const known = plain.has(key);
        const stale = draw(3) === 0n ? model.slotPath(keyOf(draw)) : undefined;
        const right = model.slotPath(key);
        const path = stale === undefined ? right : stale;
        const same = path?.hash().toString("hex") === right?.hash().toString("hex");
        keys.push(key);
        paths.push(path);
        expected.push(same ? known ? PRESENT : 0 : -1);
        if (same && !known) {
          plain.add(key);
          model.add(key);
        }
      }
      const outcome = await addAll(table, keys, paths);
      outcome.codes.forEach((code, i) => {
        if (expected[i] >= 0) assert.equal(code, expected[i], `round ${round}, operation ${i}`);
        // The path of another key may begin with the same full nodes, which contain this key.
        else {assert.ok(
            code !== 0 && (code !== PRESENT || plain.has(keys[i])),
            `round ${round}, operation ${i}`,
          );}
      });
      table = outcome.table;
      assert.ok(table.equals(model.table()), `round ${round}: the tables differ`);
    }
    assert.equal(model.size, plain.size);
    for (const key of plain) assert.ok(model.has(key));
  });
}

/** Opens a pool whose slot 5 has `keys` keys. */
async function openWithSlot(keys: number): Promise<V2Sandbox> {
  const sandbox = await V2Sandbox.open();
  const state = { deposits: 1000, settled: 1000, commitment: () => 1n, roots: [freshElement()] };
  await sandbox.setState({ ...state, spent: slotOf(keys) });
  return sandbox;
}

Deno.test("a malformed carried path of any shape ends in a named code, before any pairing", async (t) => {
  for (const keys of [1, 5, 40]) {
    const sandbox = await openWithSlot(keys);
    const nullifierHash = (BigInt(keys + 3) << 12n) | 5n;
    const wrong = wrongPaths(sandbox.spent, nullifierHash);
    for (const [what, [carried, code]] of Object.entries(wrong)) {
      await t.step(`${keys} keys: ${what}`, async () => {
        const outcome = await assertRefused(
          sandbox,
          code,
          () => sandbox.withdraw({ nullifierHash, carried }),
          what,
        );
        assert.ok(outcome.gasUsed < 20_000n, `${outcome.gasUsed} gas`);
      });
    }
    assertAccepted(await sandbox.withdraw({ nullifierHash }));
    await assertStateMirrored(sandbox);
  }
});

Deno.test("an empty slot takes no path, and a key of any slot is found again", async () => {
  const sandbox = await openWithSlot(0);
  for (const nullifierHash of [0n, 4095n, FIELD_MODULUS - 1n, 1n << 107n, (1n << 108n) + 77n]) {
    for (const carried of [Cell.EMPTY, beginCell().storeUint(1, 96).endCell()]) {
      await assertRefused(sandbox, "ERR_STALE_SLOT", () => sandbox.withdraw({ nullifierHash, carried }));
    }
    assertAccepted(await sandbox.withdraw({ nullifierHash }));
    await assertRefused(sandbox, "ERR_ALREADY_SPENT", () => sandbox.withdraw({ nullifierHash }));
  }
  await assertStateMirrored(sandbox);
});

Deno.test("a nullifier hash cannot be spent twice, wherever on its path its tag lies", async () => {
  const sandbox = await openWithSlot(40);
  for (let i = 0; i < 40; i++) {
    const nullifierHash = (BigInt(i) << 12n) | 5n;
    await assertRefused(sandbox, "ERR_ALREADY_SPENT", () => sandbox.withdraw({ nullifierHash }), String(i));
  }
});

Deno.test("stale slot on purpose: the victim sends the same proof with the new path", async () => {
  const sandbox = await openWithSlot(3);
  const victim = sandbox.request({ nullifierHash: (1000n << 12n) | 5n });
  assertAccepted(await sandbox.withdraw({ nullifierHash: (2000n << 12n) | 5n }));
  await assertRefused(sandbox, "ERR_STALE_SLOT", () => sandbox.withdraw(victim));
  assertAccepted(
    await sandbox.withdraw({ ...victim, carried: sandbox.spent.slotPath(victim.nullifierHash) }),
  );
});

Deno.test("deep slots: a path of 94 full nodes, the longest that can exist, is paid within the gas bound", async () => {
  const key = (0xabcdef0123456789abcdefn << 12n) | 7n;
  const spent = fillPath(key);
  assert.equal(spent.path(key).filter(({ children }) => children).length, 94);
  const sandbox = await V2Sandbox.open();
  const roots = [freshElement()];
  await sandbox.setState({ deposits: 1000, settled: 1000, commitment: () => 1n, roots, spent });
  assertAccepted(await sandbox.withdraw({ nullifierHash: key }));
  await assertStateMirrored(sandbox);
  await assertRefused(sandbox, "ERR_ALREADY_SPENT", () => sandbox.withdraw({ nullifierHash: key }));
});

Deno.test("getIsSpent and getIsSpentBy answer exactly, or throw", async () => {
  const sandbox = await openWithSlot(12);
  const exit = async (method: string, args: TupleItem[]) => {
    const { stackReader, exitCode } = await sandbox.pool.chain.runGetMethod(
      sandbox.pool.address,
      method,
      args,
    )
      .catch((error) => ({ stackReader: undefined, exitCode: Number(error.exitCode) }));
    return exitCode === 0 ? stackReader!.readNumber() : exitCode;
  };
  const int = (value: bigint): TupleItem => ({ type: "int", value });
  const path = (cell: Cell | null): TupleItem => cell ? { type: "cell", cell } : { type: "null" };
  const [spent, unspent, elsewhere] = [(3n << 12n) | 5n, (99n << 12n) | 5n, (3n << 12n) | 6n];
  assert.equal(await exit("getIsSpent", [int(elsewhere)]), 0);
  assert.equal(await exit("getIsSpent", [int(spent)]), 211);
  assert.equal(await exit("getIsSpent", [int(unspent)]), 211);
  assert.equal(await exit("getIsSpentBy", [int(spent), path(sandbox.spent.slotPath(spent))]), -1);
  assert.equal(await exit("getIsSpentBy", [int(unspent), path(sandbox.spent.slotPath(unspent))]), 0);
  assert.equal(await exit("getIsSpentBy", [int(elsewhere), path(null)]), 0);
  assert.equal(await exit("getIsSpentBy", [int(spent), path(null)]), 211);
  assert.equal(await exit("getIsSpentBy", [int(elsewhere), path(sandbox.spent.slotPath(spent))]), 211);
});
