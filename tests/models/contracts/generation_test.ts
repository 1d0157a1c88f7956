/**
 * A pool of generation n has its own address and otherwise behaves like generation 0: while it is empty, it
 * gives the same answers and refusals, and from its first deposit on, every cell is the same. The test covers
 * both kinds of pools.
 */
import assert from "node:assert/strict";
import { beginCell, Cell, type TupleItem } from "@ton/core";
import { storeAdmin, storeRecoverStuck } from "../../../testkit/chain/admin_messages.ts";
import { MAX_GENERATION } from "../../../src/core/protocol/pool_constants.ts";
import { zeros } from "../../../src/core/tree/zeros.ts";
import { mainnetPrices } from "../../../src/localnet/mainnet_config.ts";
import { jettonPoolAddress, nativePoolAddress } from "../../../testkit/chain/pool_addresses.ts";
import { findPoolGeneration } from "../../../src/ton/pool/state_init.ts";
import { JettonSandbox } from "../../../testkit/chain/jetton_sandbox.ts";
import { freshElement, type Outcome, PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

const NOW = 1_800_000_000;
const YEAR = 31_557_600;
const successors = [1, MAX_GENERATION];
/** Loading a new cell costs 100 gas, and the empty cell again 25. */
const OTHER_CELL = 75n;

type Both = readonly [first: PoolSandbox, successor: PoolSandbox];

const kinds = {
  native: async (generation: number) => {
    const pool = await PoolSandbox.open({ now: NOW, generation });
    return { pool, deposit: pool.deposit.bind(pool) };
  },
  jetton: async (generation: number) => {
    const jettons = await JettonSandbox.open({ now: NOW, generation });
    return { pool: jettons.pool, deposit: jettons.deposit.bind(jettons) };
  },
} as const;

/** Returns the responses of a pool to every query. Its own jetton wallet follows from its address. */
async function answers(pool: PoolSandbox): Promise<unknown> {
  const questions: [string, ...bigint[]][] = [
    ["get_root_history"],
    ["getCurrentRoot"],
    ["getNextIndex"],
    ["getDenomination"],
    ...[0n, 1n, zeros[20]].flatMap((key): [string, bigint][] => [["getIsSpent", key], [
      "getIsDeposited",
      key,
    ]]),
    ["get_withdraw_value", 0n],
    ["get_withdraw_value", 100_000_000n],
    ["get_deposit_value"],
  ];
  const { jettonWallet, owner, jettonMaster, ...info } = await pool.getPoolInfo();
  const responses = [];
  for (const [method, ...args] of questions) {
    const stack: TupleItem[] = args.map((value) => ({ type: "int", value }));
    responses.push([method, (await pool.chain.runGetMethod(pool.address, method, stack)).stack]);
  }
  return {
    responses,
    info: { ...info, owner: `${owner}`, jettonMaster: `${jettonMaster}`, knowsWallet: jettonWallet !== null },
  };
}

async function sameAnswers([first, successor]: Both, when: string): Promise<void> {
  assert.deepEqual(await answers(successor), await answers(first), when);
}

/** Returns the effect of a message, to the nano, without its gas, which is compared separately. */
function effect({ exitCode, actionCode, sent, logs, balanceBefore: before, balanceAfter: after }: Outcome) {
  const logged = logs.map((log) => Object.values(log ?? {}).map(String));
  return { exitCode, actionCode, messages: sent.length, logged, gained: after - before };
}

for (const [kind, open] of Object.entries(kinds)) {
  for (const generation of successors) {
    Deno.test(`an empty ${kind} pool of generation ${generation} answers as one of generation 0`, async () => {
      const both = [(await open(0)).pool, (await open(generation)).pool] as const;
      assert.ok(!both[0].address.equals(both[1].address));
      await sameAnswers(both, "when it is deployed");
      // Storage is due, then more of it than the balance, then years of it.
      for (const [balance, years] of [[2_500_000_000n, 1], [1_000n, 5], [0n, 30]] as const) {
        for (const pool of both) {
          await pool.setState({ balance });
          pool.chain.now = NOW + years * YEAR;
        }
        await sameAnswers(both, `with ${balance} after ${years} years`);
      }
    });

    Deno.test(`an empty ${kind} pool of generation ${generation} refuses and keeps what generation 0 does`, async () => {
      const both = [(await open(0)).pool, (await open(generation)).pool] as const;
      const nullifierHash = freshElement();
      const value = 1_000_000_000n;
      const messages: [what: string, exitCode: number, send: (pool: PoolSandbox) => Promise<Outcome>][] = [
        ["a donation", 0, (pool) => pool.send(Cell.EMPTY, value)],
        ["an unknown op", 0, (pool) => pool.send(beginCell().storeUint(1, 32).endCell(), value)],
        ["a withdrawal with the empty root", 201, (pool) => pool.withdraw({ nullifierHash, value })],
        // Only this message reads the cell of the generation, and finds no root there.
        ["a withdrawal with another root", 203, (pool) => pool.withdraw({ nullifierHash, root: 5n, value })],
        [
          "a withdrawal with the generation's own number as root",
          203,
          (pool) => pool.withdraw({ nullifierHash, root: BigInt(generation), value }),
        ],
        ["a sweep of too much", 302, (pool) => {
          const body = storeRecoverStuck(10n ** 12n, pool.owner.address);
          return pool.send(body, value, { from: pool.owner.address });
        }],
        ["a sweep", 0, (pool) => {
          const body = storeRecoverStuck(1_000_000n, pool.owner.address);
          return pool.send(body, value, { from: pool.owner.address });
        }],
        ["a pause", 0, (pool) => pool.send(storeAdmin("admin_pause"), value, { from: pool.owner.address })],
        ["its end", 0, (pool) => pool.send(storeAdmin("admin_unpause"), value, { from: pool.owner.address })],
      ];
      for (const [what, exitCode, send] of messages) {
        const [first, second] = [await send(both[0]), await send(both[1])];
        assert.equal(second.exitCode, exitCode, what);
        const dearer = exitCode === 203 && kind === "native" ? OTHER_CELL : 0n; // a jetton pool opens its archive
        assert.equal(second.gasUsed - first.gasUsed, dearer, what);
        assert.deepEqual(effect(second), effect(first), what);
      }
      await sameAnswers(both, "after all of them");
    });

    Deno.test(`a ${kind} pool of generation ${generation} is one of generation 0 from its first deposit on`, async () => {
      const both = [await open(0), await open(generation)] as const;
      const pools = [both[0].pool, both[1].pool] as const;
      const oldRoots = async (pool: PoolSandbox) => {
        const old = (await pool.data()).refs[3];
        return kind === "native" ? old : old.refs[0];
      };
      const mark = await oldRoots(pools[1]);
      assert.equal(mark.beginParse().loadUint(8), generation);

      for (let round = 0; round < 3; round++) {
        const [commitment, newRoot, nullifierHash] = [freshElement(), freshElement(), freshElement()];
        const [a, b] = [
          await both[0].deposit({ commitment, newRoot }),
          await both[1].deposit({ commitment, newRoot }),
        ];
        assert.equal(b.exitCode, 0);
        assert.deepEqual([b.gasUsed, effect(b)], [a.gasUsed, effect(a)], `deposit ${round}`);
        await sameAnswers(pools, `after deposit ${round}`);
        if (round !== 1) {
          const [c, d] = [
            await pools[0].withdraw({ nullifierHash }),
            await pools[1].withdraw({ nullifierHash }),
          ];
          assert.equal(d.exitCode, 0);
          assert.deepEqual([d.gasUsed, effect(d)], [c.gasUsed, effect(c)], `withdrawal ${round}`);
        }
        const [first, second] = [await pools[0].data(), await pools[1].data()];
        assert.equal(`${second.bits}`, `${first.bits}`);
        // The nullifiers' fork of a jetton pool contains its wallet, which follows from its address.
        const compared = kind === "native" ? [0, 1, 2, 3] : [1, 2, 3];
        for (const ref of compared) {
          assert.ok(second.refs[ref].equals(first.refs[ref]), `reference ${ref} after round ${round}`);
        }
        assert.equal(await pools[1].balance(), await pools[0].balance(), "to the nano");
      }
      assert.ok((await oldRoots(pools[1])).equals(Cell.EMPTY));
    });
  }
}

Deno.test("until then a generation costs the storage of one small cell", async () => {
  const both = [(await kinds.native(0)).pool, (await kinds.native(1)).pool] as const;
  const left = [];
  for (const pool of both) {
    await pool.send(Cell.EMPTY, 1_000_000n); // from here on, the chain's own figures determine the storage fee
    pool.chain.now = NOW + YEAR;
    await pool.send(Cell.EMPTY, 1_000_000n);
    left.push(await pool.balance());
  }
  const { bitPrice, cellPrice } = mainnetPrices.storage;
  const cost = Number(cellPrice + 8n * bitPrice) * YEAR / 65_536;
  assert.ok(Math.abs(Number(left[0] - left[1]) - cost) <= 1, String(left[0] - left[1]));
});

Deno.test("each generation has its own address, which identifies it", () => {
  const owner = null;
  const denomination = 10_000_000_000n;
  const jettonMaster = nativePoolAddress({ denomination, owner });
  const addresses = new Set<string>();
  for (let generation = 0; generation <= MAX_GENERATION; generation++) {
    const native = nativePoolAddress({ denomination, owner, generation });
    const jetton = jettonPoolAddress({ denomination, owner, jettonMaster, generation });
    for (const address of [native, jetton]) addresses.add(address.toRawString());
    if (generation % 51 !== 0) continue;
    assert.equal(findPoolGeneration(native, { denomination, owner }), generation);
    assert.equal(findPoolGeneration(jetton, { denomination, owner, jettonMaster }), generation);
    assert.equal(findPoolGeneration(native, { denomination: denomination + 1n, owner }), undefined);
    assert.equal(findPoolGeneration(native, { denomination, owner, jettonMaster }), undefined);
  }
  assert.equal(addresses.size, 2 * (MAX_GENERATION + 1));
  for (const generation of [-1, 0.5, MAX_GENERATION + 1, NaN]) {
    assert.throws(() => nativePoolAddress({ denomination, owner, generation }), RangeError);
  }
});
