/** Attacks on a native pool that take more than one message, or less gas than a message needs. */
import assert from "node:assert/strict";
import { Address, internal } from "@ton/core";
import { internal as delivered } from "@ton/sandbox";
import { exitCodes } from "../../src/core/errors/problem.ts";
import { mainnetConfig } from "../../src/localnet/mainnet_config.ts";
import { nativePoolInit } from "../../src/ton/pool/state_init.ts";
import { chainPrices } from "../../testkit/chain/chain_prices.ts";
import { deliverInOneBlock, exitCodesAt } from "../support/contracts/one_block.ts";
import { assertRejected } from "../support/contracts/pool_assertions.ts";
import { freshElement, type Outcome, PoolSandbox } from "../../testkit/chain/pool_sandbox.ts";

const prices = chainPrices(mainnetConfig());
/** The exit code of TVM itself, which no handler can catch. */
const OUT_OF_GAS = -14;
/** The exit code if no compute phase runs, because the value buys no gas. */
const NO_GAS = -1;
/** Returns the value in nano that buys this much gas; for no gas it returns one nano, which buys none. */
const valueFor = (gas: bigint) => gas === 0n ? 1n : prices.gas(gas);
const coins = ({ info }: Outcome["sent"][number]) => info.type === "internal" ? info.value.coins : 0n;

Deno.test("a deposit starved of gas, at every 1,000 from zero to enough, is complete or changes nothing", async () => {
  const pool = await PoolSandbox.open();
  const { owner } = pool;
  const codes = new Set<number>();
  for (let gas = 0n;; gas += 1_000n) {
    assert.ok(gas < 200_000n, "no amount was enough");
    // A deposit's value is the denomination: a pool with a small denomination has no more gas than that buys.
    const denomination = valueFor(gas);
    const { data } = nativePoolInit({ denomination, owner: owner.address });
    await pool.setState({ data, balance: 2_500_000_000n });
    const state = await pool.data();
    const commitment = freshElement();
    const body = await pool.depositBody({ commitment });
    const outcome = await pool.send(body, denomination);
    codes.add(outcome.exitCode);
    const there = (await pool.get("getIsDeposited", commitment)).readBoolean();
    assert.equal(there, outcome.exitCode === 0, `with ${gas}`);
    assert.equal(outcome.logs.length, there ? 1 : 0, `with ${gas}`);
    if (there) {
      assert.equal(outcome.actionCode, 0);
      assert.equal((await pool.getPoolInfo()).deposits, 1);
      break;
    }
    assert.ok((await pool.data()).equals(state), `with ${gas} the state is another`);
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `with ${gas} the pool paid`);
  }
  assert.deepEqual([...codes].sort((a, b) => a - b), [OUT_OF_GAS, NO_GAS, 0]);
});

Deno.test("a withdrawal starved of gas, at every 1,000 from zero to enough, is complete or changes nothing", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  const nullifierHash = freshElement();
  const recipient = new Address(0, Buffer.alloc(32, 0x71));
  const body = pool.withdrawBody({ nullifierHash, recipient });
  const quote = await pool.withdrawValue();
  const data = await pool.data();
  const codes = new Set<number>();
  // Tries each 1,000 of the gas that the message burns. Beyond that, the pool refuses it for its value, and
  // the steps are wider.
  for (let gas = 0n; prices.gas(gas) < quote; gas += gas < 150_000n ? 1_000n : 20_000n) {
    const outcome = await pool.send(body, valueFor(gas));
    codes.add(outcome.exitCode);
    if (outcome.exitCode === 0) break;
    assert.ok((await pool.data()).equals(data), `with ${gas} the state is another`);
    assert.ok(outcome.balanceAfter >= outcome.balanceBefore, `with ${gas} the pool paid`);
    assert.deepEqual(outcome.logs, [], `with ${gas}`);
    assert.ok(outcome.sent.every(({ info }) => info.type === "internal" && info.bounced), `with ${gas}`);
    assert.equal((await pool.chain.getContract(recipient)).balance, 0n, `with ${gas}`);
  }
  const refusals = [OUT_OF_GAS, NO_GAS, exitCodes.ERR_INSUFFICIENT_VALUE];
  assert.deepEqual([...codes].filter((code) => code !== 0).sort((a, b) => a - b), refusals);
  if (!codes.has(0)) assert.equal((await pool.send(body, quote)).exitCode, 0);
  assert.equal((await pool.chain.getContract(recipient)).balance, pool.denomination - 50_000_000n);
});

Deno.test("a double spend in one block, by two senders with two proofs, pays one of them", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 3; i++) await pool.deposit();
  const nullifierHash = freshElement();
  const [honest, thief] = [0x72, 0x73].map((byte) => new Address(0, Buffer.alloc(32, byte)));
  const value = await pool.withdrawValue();
  const codes = await deliverInOneBlock(
    pool,
    [[honest, pool.user], [thief, pool.relayer]].map(([recipient, sender]) =>
      delivered({
        from: (sender as typeof pool.user).address,
        to: pool.address,
        value,
        body: pool.withdrawBody({ nullifierHash, recipient: recipient as Address }),
      })
    ),
  );
  assert.deepEqual(codes, [0, exitCodes.ERR_ALREADY_SPENT]);
  assert.equal((await pool.chain.getContract(honest)).balance, pool.denomination - 50_000_000n);
  assert.equal((await pool.chain.getContract(thief)).balance, 0n);
  assert.equal((await pool.getPoolInfo()).withdrawals, 1);
});

Deno.test("a double spend in one batch of a wallet, with other payees in the second, pays the first", async () => {
  const pool = await PoolSandbox.open();
  for (let i = 0; i < 3; i++) await pool.deposit();
  const nullifierHash = freshElement();
  const payees = [0x74, 0x75].map((byte) => new Address(0, Buffer.alloc(32, byte)));
  const value = await pool.withdrawValue();
  const { transactions } = await pool.user.sendMessages(payees.map((recipient) =>
    internal({
      to: pool.address,
      value,
      bounce: true,
      body: pool.withdrawBody({ nullifierHash, recipient }),
    })
  ));
  assert.deepEqual(exitCodesAt(pool, transactions), [0, exitCodes.ERR_ALREADY_SPENT]);
  const [first, second] = await Promise.all(payees.map((payee) => pool.chain.getContract(payee)));
  assert.deepEqual([first.balance, second.balance], [pool.denomination - 50_000_000n, 0n]);
});

Deno.test("deposits that race for one leaf in one block: the first is accepted, the second's value returns", async () => {
  const pool = await PoolSandbox.open();
  const bodies = [await pool.depositBody(), await pool.depositBody()];
  const before = await pool.relayer.getBalance();
  const codes = await deliverInOneBlock(
    pool,
    bodies.map((body, i) => {
      const { address: from } = [pool.user, pool.relayer][i];
      return delivered({ from, to: pool.address, value: pool.denomination, body });
    }),
  );
  assert.deepEqual(codes, [0, exitCodes.ERR_STALE_DEPOSIT]);
  assert.equal((await pool.getPoolInfo()).deposits, 1);
  // The emulator delivers messages without a charge to their sender, so everything that returns is a gain.
  assert.ok(await pool.relayer.getBalance() > before + pool.denomination - 10_000_000n);
});

Deno.test("an unspent note's withdrawal, front-run with the victim's proof, still pays the victim's payees", async () => {
  const pool = await PoolSandbox.open();
  await pool.deposit();
  await pool.deposit();
  const thief = new Address(0, Buffer.alloc(32, 0x66));
  const recipient = new Address(0, Buffer.alloc(32, 0x76));
  const victim = { nullifierHash: freshElement(), recipient, fee: 50_000_000n, root: pool.root };
  const body = pool.withdrawBody(victim);
  const proof = body.refs[1];
  const value = await pool.withdrawValue();
  // No change of the message gives the thief a profit, and each attempt leaves the note as it was.
  for (const change of [{ recipient: thief }, { relayer: thief }, { fee: 0n }, { refund: 1n }]) {
    await assertRejected(
      pool,
      "ERR_PROOF_INVALID",
      () => pool.withdraw({ ...victim, ...change, proof, value, from: thief }),
    );
    assert.equal((await pool.get("getIsSpent", victim.nullifierHash)).readBoolean(), false);
  }
  const stolen = await pool.send(body, value, { from: thief });
  assert.equal(stolen.exitCode, 0);
  assert.equal((await pool.chain.getContract(recipient)).balance, pool.denomination - victim.fee);
  const toThief = stolen.sent.filter(({ info }) => info.dest?.toString() === thief.toString());
  assert.equal(toThief.length, 1, "what is left of the thief's own value");
  assert.ok(coins(toThief[0]) < value);
  await assertRejected(pool, "ERR_ALREADY_SPENT", () => pool.send(body, value));
});

Deno.test("a masterchain sender's excess arrives, and its way costs the masterchain's price and no one else", async () => {
  for (const workchain of [0, -1] as const) {
    const pool = await PoolSandbox.open();
    await pool.deposit();
    const from = new Address(workchain, Buffer.alloc(32, 0x77));
    const value = 500_000_000n;
    const { debt } = await pool.getPoolInfo();
    const outcome = await pool.withdraw({ from, value, relayer: null, fee: 0n });
    assert.deepEqual([outcome.exitCode, outcome.actionCode], [0, 0]);
    const excess = outcome.sent.at(-1)!;
    assert.ok(excess.info.type === "internal" && excess.info.dest.equals(from));
    // A message's forward fee has two parts. The part for the next validator is recorded in the message
    // itself.
    const [forward] = [prices.forward(workchain)];
    const paid = outcome.tx.totalFees.coins;
    assert.ok(paid > 0n && excess.info.forwardFee < forward && excess.info.forwardFee > forward / 2n);
    assert.equal(
      (await pool.chain.getContract(from)).balance,
      coins(excess),
      "not a nano is lost on the way",
    );
    // The remainder is the attached value, less gas, the forward fees of payout, excess and log, and what the
    // pool keeps.
    const endowment = prices.storage({ cells: 1n, bits: 1023n, seconds: 631_152_000n });
    const net = debt + (endowment > 5_000_000n ? endowment : 5_000_000n);
    const keep = net > 10_000_000n ? net : 10_000_000n;
    const fees = prices.gas(outcome.gasUsed) + prices.forward(0) + forward +
      prices.forward(0, { cells: 1n, bits: 534n });
    const charged = value - keep - coins(excess);
    assert.ok(charged >= fees && charged - fees < prices.gas(300n), `charged ${charged} for ${fees}`);
    assert.ok(
      outcome.balanceAfter >= outcome.balanceBefore - pool.denomination + keep,
      "the pool paid for it",
    );
  }
});
