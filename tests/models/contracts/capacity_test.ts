/**
 * A full pool pays every accepted note, under the real limit of 65,536 cells for an account, with sets as
 * large as an attacker who chooses every key can make them.
 */
import { POOL_CAPACITY } from "../../../src/core/protocol/pool_constants.ts";
import assert from "node:assert/strict";
import { beginCell, type Cell, toNano } from "@ton/core";
import { storeRetryPayout } from "../../../src/core/protocol/messages/pool_messages.ts";
import { loadPoolCode } from "../../../src/ton/pool/state_init.ts";
import { fills } from "../../../testkit/gas/fills.ts";
import { readSnapshot } from "../../../testkit/gas/snapshot.ts";
import { assertRejected } from "../../support/contracts/pool_assertions.ts";
import { manyClaims } from "../../support/contracts/claims.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";
import { encodePoolData, largestSet, RootHistoryModel } from "../../../testkit/chain/pool_storage.ts";

const CAPACITY = POOL_CAPACITY;
/** Action result code of an account with more than 65,536 cells. */
const ACCOUNT_TOO_LARGE = 50;
/** The sizes that pools stay below according to contracts/v1/SPEC.md, including their code. */
const PROVEN_CELLS = 57_200;
const PROVEN_JETTON_CELLS = 63_364;
const MAX_CLAIMS = 3_072;

/** A root history whose next deposit begins a generation, with all earlier roots of the two that are kept. */
function fullHistory(roots: bigint[]): RootHistoryModel {
  const history = new RootHistoryModel();
  history.count = CAPACITY - 64; // a generation begins here
  for (let i = 0; i < 63; i++) {
    const root = freshElement();
    history.push(root);
    roots.push(root);
  }
  return history;
}

// The second kind uses other tags, because equal cells would be stored only once.
const largestSets = () => ({
  commitments: largestSet(CAPACITY - 1),
  nullifiers: largestSet(CAPACITY - 1, 1n << 40n),
});

Deno.test("a full pool, filled in the worst way", async (t) => {
  const pool = await PoolSandbox.open();
  const { denomination, owner } = pool;
  const history = fullHistory(pool.roots);
  const { commitments, nullifiers } = largestSets();
  const state = {
    denomination,
    deposits: CAPACITY - 1,
    withdrawals: CAPACITY - 1,
    debt: 0n,
    touched: pool.chain.now!,
    nullifiers,
    root: pool.root,
    commitments,
    history,
    paused: false,
    owner: owner.address,
  };
  const data = encodePoolData(state);
  const cells = distinctCells(beginCell().storeRef(data).storeRef(loadPoolCode().code).endCell()) - 1;
  assert.ok(cells > PROVEN_CELLS - 200 && cells <= PROVEN_CELLS, `${cells} cells are not the worst fill`);

  const { gas: committed, size } = await readSnapshot();
  const fill = "131,071, worst keys";
  assert.equal(cells, size.native[fill].cells, "the snapshot has another size");

  await t.step(
    "takes its last deposit, for the gas that the snapshot has of a part of its sets",
    async () => {
      await pool.setState({ data, balance: 10_000_000_000n });
      const { commitment } = fills.find(({ name }) => name === fill)!.keys;
      const { exitCode, actionCode, gasUsed: gas } = await pool.deposit({ commitment });
      assert.deepEqual([exitCode, actionCode], [0, 0]);
      assert.equal(Number(gas), committed.native[fill].messages.deposit);
    },
  );
  await t.step("pays its last note", async () => {
    const { exitCode, actionCode } = await pool.withdraw();
    assert.deepEqual([exitCode, actionCode], [0, 0]);
    const { deposits, withdrawals, debt, capacity } = await pool.getPoolInfo();
    assert.deepEqual([deposits, withdrawals, debt, capacity], [CAPACITY, CAPACITY, 0n, CAPACITY]);
  });
  await t.step(
    "refuses any other deposit",
    () => assertRejected(pool, "ERR_POOL_FULL", () => pool.deposit()),
  );
  await t.step("would be stuck if it held more cells than an account may", async () => {
    const beyond = { ...history, oldGeneration: largestSet(60_000, 1n << 60n).cell(), push: () => {} };
    await pool.setState({ data: encodePoolData({ ...state, root: pool.root, history: beyond }) });
    const { exitCode, actionCode } = await pool.deposit();
    assert.deepEqual([exitCode, actionCode], [0, ACCOUNT_TOO_LARGE]);
  });
});

Deno.test("a full jetton pool, filled in the worst way, with every claim open", async (t) => {
  const jettons = await JettonSandbox.open();
  const { pool, minter, poolWallet } = jettons;
  const { denomination, owner } = pool;
  const claims = manyClaims(MAX_CLAIMS);
  const history = fullHistory(pool.roots);
  const data = encodePoolData({
    denomination,
    deposits: CAPACITY - 1,
    withdrawals: CAPACITY - 1,
    debt: 0n,
    touched: pool.chain.now!,
    ...largestSets(),
    root: pool.root,
    history,
    paused: false,
    owner: owner.address,
    jetton: { master: minter.address, wallet: poolWallet, claims },
  });
  const { code } = loadPoolCode("jetton");
  const cells = distinctCells(beginCell().storeRef(data).storeRef(code).endCell()) - 1;
  assert.ok(
    cells > PROVEN_JETTON_CELLS - 200 && cells <= PROVEN_JETTON_CELLS,
    `${cells} cells are not the worst fill`,
  );
  await pool.setState({ data, balance: 10_000_000_000n });
  await t.step("accepts its last deposit", async () => {
    const { exitCode, actionCode } = await jettons.deposit();
    assert.deepEqual([exitCode, actionCode], [0, 0]);
    assert.equal((await pool.getPoolInfo()).deposits, CAPACITY);
  });
  await t.step("pays a claim", async () => {
    await jettons.mint(pool.address, denomination);
    const id = claims.keys().next().value!;
    const { exitCode, actionCode } = await pool.send(storeRetryPayout(id), toNano("0.3"));
    assert.deepEqual([exitCode, actionCode], [0, 0]);
    assert.equal((await pool.getPoolInfo()).claims, MAX_CLAIMS - 1);
  });
});

function distinctCells(root: Cell): number {
  const seen = new Set<string>();
  const open = [root];
  while (open.length > 0) {
    const cell = open.pop()!;
    const hash = cell.hash().toString("base64");
    if (seen.has(hash)) continue;
    seen.add(hash);
    open.push(...cell.refs);
  }
  return seen.size;
}
