/** Gas of version 2 pools under mainnet's prices: the targets, and the table of docs/gas.md. */
import assert from "node:assert/strict";
import { fullPool } from "../../../testkit/chain/v2/full_pool.ts";
import { type V2Outcome, V2Sandbox } from "../../../testkit/chain/v2/sandbox.ts";
import { fillPath } from "../../support/contracts/deep_slots.ts";
import { assertAccepted } from "../../support/contracts/v2_assertions.ts";

const page = await Deno.readTextFile(new URL("../../../docs/gas.md", import.meta.url));
const gasOf = (outcome: V2Outcome) => Number(assertAccepted(outcome).gasUsed);

/** Asserts that docs/gas.md has the figure in the row, and that it is within the target. */
function assertFigure(row: string, gas: number, target?: number): void {
  const figure = gas.toLocaleString("en");
  const line = page.split("\n").find((each) => each.startsWith(`| ${row} `));
  assert.ok(line?.split("|").some((cell) => cell.trim() === figure), `docs/gas.md: ${row} takes ${figure}`);
  if (target !== undefined) assert.ok(gas <= target, `${row} takes ${figure}, more than ${target}`);
}

const commitment = (leafIndex: number) => BigInt(leafIndex) + 1n;

Deno.test("gas of deposits", async () => {
  const sandbox = await V2Sandbox.open();
  const most = async (comment: boolean) => {
    const figures: number[] = [];
    for (let deposits = 20; deposits < 28; deposits++) {
      await sandbox.setState({ deposits, settled: 16, commitment });
      figures.push(gasOf(await sandbox.deposit({ comment })));
    }
    return Math.max(...figures);
  };
  assertFigure("deposit, by op", await most(false), 6_500);
  assertFigure("deposit, by comment", await most(true), 12_000);
});

Deno.test("gas of settlements", async () => {
  const sandbox = await V2Sandbox.open();
  const settle = async (deposits: number, end?: number) => {
    await sandbox.setState({ deposits, settled: 512, commitment, roots: [1n], rootCount: 5000 });
    return gasOf(await sandbox.settle({ end }));
  };
  assertFigure("settlement of 1", await settle(513));
  assertFigure("settlement of 16", await settle(528), 175_000);
  assertFigure("settlement of 16, 240 more wait", await settle(768));
  assertFigure("settlement of 16, 32,752 more wait", await settle(512 + 32_768));
});

Deno.test("gas of withdrawals at 2^20 notes, and the account's size", async () => {
  const { state, drawKey } = fullPool();
  const sandbox = await V2Sandbox.open();
  await sandbox.setState(state);
  const most = async (change: { root?: bigint; rootNumber?: number }) => {
    const figures: number[] = [];
    for (let i = 0; i < 12; i++) {
      figures.push(gasOf(await sandbox.withdraw({ ...change, nullifierHash: drawKey() })));
    }
    return Math.max(...figures);
  };
  assertFigure("withdrawal, newest root", await most({}), 143_000);
  const rootNumber = sandbox.rootCount - 700;
  const older = { root: sandbox.roots.at(-700)!, rootNumber };
  assertFigure("withdrawal, older root", await most(older));
  const batch = async (count: number) => {
    const changes = Array.from({ length: count }, () => ({ nullifierHash: drawKey() }));
    return Math.round(gasOf(await sandbox.withdrawMany(changes)) / count);
  };
  assertFigure("withdrawal, one of 4", await batch(4));
  assertFigure("withdrawal, one of 8", await batch(8), 71_000);
  assertFigure("withdrawal, one of 15", await batch(15));
});

Deno.test("gas of the most expensive withdrawal stays below GAS_HIGHEST_PATH, with 3 % to spare", async () => {
  const sandbox = await V2Sandbox.open();
  const key = (0xabcdef0123456789abcdefn << 12n) | 7n;
  const state = { deposits: 1000, settled: 1000, commitment, roots: [5n, 6n, 7n], spent: fillPath(key) };
  await sandbox.setState(state);
  const gas = gasOf(
    await sandbox.withdraw({ nullifierHash: key, root: 5n, rootNumber: 0, refund: 12_345_678n }),
  );
  assertFigure("withdrawal, 94 full nodes", gas);
  const fees = await Deno.readTextFile(new URL("../../../contracts/v2/fees.tolk", import.meta.url));
  const bound = Number(/^const GAS_HIGHEST_PATH = (\d+)/m.exec(fees)![1]);
  assert.ok(gas * 1.03 <= bound && gas * 1.04 >= bound, `${gas} of ${bound}`);
});
