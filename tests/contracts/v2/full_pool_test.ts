/** A version 2 pool with 2^20 notes. The test builds its state outside the chain, then sends it messages. */
import assert from "node:assert/strict";
import { mainnetConfig } from "../../../src/localnet/mainnet_config.ts";
import { chainPrices } from "../../../testkit/chain/chain_prices.ts";
import { countCells } from "../../../testkit/chain/pool_storage.ts";
import { fullPool } from "../../../testkit/chain/v2/full_pool.ts";
import { V2JettonSandbox } from "../../../testkit/chain/v2/jetton_sandbox.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { isDeep } from "../../../testkit/random/property_runs.ts";
import {
  assertAccepted,
  assertDepositReturned,
  assertRefused,
} from "../../support/contracts/v2_assertions.ts";

Deno.test("a pool of 2^20 notes pays, and its account has at most 2,500 cells", async () => {
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  await sandbox.setState(state);
  const size = async () => {
    const account = (await sandbox.pool.chain.getContract(sandbox.pool.address)).accountState;
    assert.ok(account?.type === "active");
    return countCells(account.state.code!, account.state.data!);
  };
  for (let i = 0; i < 10; i++) assertAccepted(await sandbox.withdraw({ nullifierHash: drawKey() }));
  const changes = Array.from({ length: 8 }, () => ({ nullifierHash: drawKey() }));
  assertAccepted(await sandbox.withdrawMany(changes));
  const { cells, bits } = await size();
  assert.ok(cells <= 2_500 && bits <= 1_500_000, `${cells} cells, ${bits} bits`);
  const spent = changes[0].nullifierHash;
  await assertRefused(sandbox, "ERR_ALREADY_SPENT", () => sandbox.withdraw({ nullifierHash: spent }));
});

const MAX_QUEUED = 32_768;
const commitment = (leafIndex: number) => BigInt(leafIndex) * 3n + 1n;

Deno.test("a full queue refuses deposits, and settles in full chunks from its first commitment to its last", async () => {
  const sandbox = await V2Sandbox.open();
  const start = 304;
  const end = start + MAX_QUEUED;
  await sandbox.setState({ deposits: end, settled: start, commitment });
  const { cells } = countCells(await sandbox.pool.data());
  assert.ok(cells < 1_000 + MAX_QUEUED / 4 + 400, `${cells} cells: a quarter of a cell for each deposit`);
  const sender = sandbox.pool.user.address;
  await assertDepositReturned(sandbox, "ERR_QUEUE_FULL", sender, () => sandbox.deposit());
  const settleTo = async (last: number) => {
    while (sandbox.settled < last) assertAccepted(await sandbox.settle(), String(sandbox.settled));
  };
  await settleTo(start + 32);
  if (!isDeep) await sandbox.setState({ deposits: end, settled: end - 48, commitment, roots: [1n] });
  await settleTo(end);
  assertAccepted(await sandbox.deposit());
});

for (
  const { how, comment, cost } of [
    { how: "op", comment: false, cost: "15.3" },
    { how: "comment", comment: true, cost: "27.5" },
  ]
) {
  Deno.test(`filling the queue by ${how} takes ${cost} GRAM of gas, besides the deposits`, async () => {
    const sandbox = await V2Sandbox.open();
    let fees = 0n;
    for (let i = 0; i < 256; i++) {
      fees += assertAccepted(await sandbox.deposit({ comment })).tx.totalFees.coins;
    }
    const all = Number(fees) * MAX_QUEUED / 256 / 1e9;
    assert.equal(all.toFixed(1), cost);
  });
}

const YEAR_SECONDS = 31_557_600n;
const prices = chainPrices(mainnetConfig());
const { state } = fullPool();
const sizes = {
  "2^20 notes": state,
  "2^20 notes, and the fullest queue": {
    ...state,
    deposits: state.deposits! - 1,
    settled: state.deposits! - 1 - MAX_QUEUED,
    withdrawals: 0,
    commitment,
  },
};

for (
  const [kind, sandbox] of [["native", await V2Sandbox.open()], [
    "jetton",
    await V2JettonSandbox.openJetton(),
  ]] as const
) {
  Deno.test(`${kind}: cells, bits and storage fees of a version 2 pool are those of docs/gas.md`, async () => {
    const page = await Deno.readTextFile("docs/gas.md");
    const rows = page.split("\n").map((line) =>
      line.split("|").map((cell) => cell.trim()).slice(1, -1).join("|")
    );
    const assertRow = async (name: string) => {
      const account = (await sandbox.pool.chain.getContract(sandbox.pool.address)).accountState;
      assert.ok(account?.type === "active");
      const { cells, bits } = countCells(account.state.code!, account.state.data!);
      const size = { cells: BigInt(cells), bits: BigInt(bits) };
      const year = Number(prices.storage({ ...size, seconds: YEAR_SECONDS })) / 1e9;
      const numbers = [cells, bits].map((n) => n.toLocaleString("en"));
      const row = [`${kind}: ${name}`, ...numbers, year.toFixed(4)].join("|");
      assert.ok(rows.includes(row), row);
    };
    await assertRow("empty");
    for (const [name, filled] of Object.entries(sizes)) {
      await sandbox.setState(filled);
      await assertRow(name);
    }
  });
}
