/** A version 2 pool with 2^20 notes. Its state is built off the chain and then driven. */
import assert from "node:assert/strict";
import { countCells } from "../../../testkit/chain/pool_storage.ts";
import { fullPool } from "../../../testkit/chain/v2/full_pool.ts";
import { V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { assertAccepted, assertRefused } from "../../support/contracts/v2_assertions.ts";

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

Deno.test("a full queue settles to its end in chunks, and adds a quarter of a cell for each deposit", async () => {
  const sandbox = await V2Sandbox.open();
  const commitment = (leafIndex: number) => BigInt(leafIndex) * 3n + 1n;
  await sandbox.setState({ deposits: 32_768 + 300, settled: 300, commitment });
  const { cells } = countCells(await sandbox.pool.data());
  assert.ok(cells < 1_000 + 32_768 / 4 + 400, `${cells} cells`);
  while (sandbox.settled < 528) assertAccepted(await sandbox.settle(), String(sandbox.settled));
});
