/**
 * A day of attacks on the relayer's balance, on virtual time: repeated refunds, withdrawals that the pool
 * refuses, notes spent twice at once, jobs that expire, invalid proofs. With the default policy, the attacker
 * loses money. With the policy of earlier releases, the same attack empties the relayer, and the attacker
 * gains. No cap limits the attacker, who attacks every four minutes. Deposits and withdrawals cost what they cost
 * in the emulator.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { beginCell } from "@ton/core";
import { Problem } from "../../../src/core/errors/problem.ts";
import { storeWithdraw } from "../../../src/core/protocol/messages/pool_messages.ts";
import { type Relayer, startRelayer } from "../../../src/relay/relayer.ts";
import type { Store } from "../../../src/store/store.ts";
import { rootLog } from "../../../src/telemetry/log.ts";
import { memoryStore } from "../../../testkit/relayer/memory_store.ts";
import { SeededRandom } from "../../../testkit/random/seeded_random.ts";
import { SimulatedPool, WITHDRAW_VALUE } from "../../../testkit/simulation/accounts.ts";
import { openEndpoint } from "../../../testkit/simulation/endpoint.ts";
import { withdrawRequest } from "../../../testkit/simulation/requests.ts";
import { SimulatedProcess } from "../../../testkit/simulation/simulated_process.ts";
import { VirtualTime } from "../../../testkit/simulation/virtual_time.ts";
import { openWallets } from "../../../testkit/simulation/wallets.ts";
import { World } from "../../../testkit/simulation/world.ts";
import {
  address,
  attacker,
  costs,
  defaultTerms,
  DENOMINATION,
  oldTerms,
  REFUND,
  type Terms,
  toDeployment,
  VKEY_HASH,
  withJettons,
} from "./attacked_pools.ts";

const STARTED_AT = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const ATTACK_INTERVAL_MS = 240_000;
/** By then the relayer has read a deposit. */
const UNTIL_INDEXED_MS = 60_000;
const DEFAULT_FEE_BPS = 50;
const DEFAULT_FEE_MIN = 50_000_000n;

/** A simulated world with one relayer and one attacker. */
class Attack {
  readonly #random: SeededRandom;
  readonly #time: VirtualTime;
  readonly #pools: { plan: Terms["pools"][number]; pool: SimulatedPool }[];
  readonly #life: SimulatedProcess;
  readonly outcomes: Record<string, number> = {};
  /** The kind of attack by note, and the cost of deposits by kind (nano, negative, without principals). */
  readonly #ways = new Map<bigint, string>();
  readonly #costs = new Map<string, bigint>();

  private constructor(
    readonly terms: Terms,
    readonly world: World,
    readonly relayer: Relayer,
    readonly store: Store,
    parts: { random: SeededRandom; time: VirtualTime; pools: SimulatedPool[]; life: SimulatedProcess },
  ) {
    [this.#random, this.#time, this.#life] = [parts.random, parts.time, parts.life];
    this.#pools = parts.pools.map((pool, i) => ({ pool, plan: terms.pools[i] }));
  }

  static async start(terms: Terms): Promise<Attack> {
    const random = new SeededRandom(11);
    const time = new VirtualTime(random, STARTED_AT);
    const life = new SimulatedProcess();
    const [wallet] = await openWallets("v5R1");
    const pools = terms.pools.map(({ isNative }, i) =>
      new SimulatedPool(address(0x10 + i), DENOMINATION, {
        isNative,
        withdrawCost: costs[isNative ? "native" : "jetton"].withdrawal,
      })
    );
    const faults = { forget: 0, repeat: 0 };
    const world = new World(random, time, { version: "v5R1", publicKey: wallet.publicKey, pools, faults });
    world.topUp(1_000n * DENOMINATION);
    for (const pool of pools) for (let i = 0; i < 30; i++) world.deposit(pool, random.element());
    const endpoint = openEndpoint(world, {
      random,
      time,
      life,
      onFault: () => {},
      faults: () => ({ fail: 0, loseResponse: 0, stale: 0, truncate: 0 }),
    });
    const chain = withJettons(endpoint, pools.filter((pool) => !pool.options.isNative));
    wallet.connect(chain);
    const store = memoryStore({ now: () => time.now(), shared: false })();
    const relayer = startRelayer({
      config: {
        network: terms.network,
        batchMs: 0,
        fee: { bps: DEFAULT_FEE_BPS, minNano: DEFAULT_FEE_MIN },
        endpoint: { apiKey: "key" },
      },
      chain,
      wallet: wallet.wallet,
      store,
      vkeyHashes: { 1: VKEY_HASH },
      clock: life.clock(time),
      prover: { verify: (_circuit, _proof, signals) => Promise.resolve(BigInt(signals[4]) % 2n === 0n) },
      deployments: {
        network: terms.network,
        pools: new Map(pools.map((pool, i) => [terms.pools[i].key, toDeployment(pool, terms.pools[i])])),
      },
      fillRandom: (bytes) => random.fill(bytes),
      log: rootLog(),
    });
    return new Attack(terms, world, relayer, store, { random, time, pools, life });
  }

  /** Attacks for a day and waits until all jobs have ended. */
  async run(): Promise<void> {
    const served = this.terms.network === "testnet"
      ? this.#pools.filter(({ plan }) => plan.key !== "junk-10")
      : this.#pools;
    const ready = () => served.every(({ plan }) => this.relayer.readiness().pools[plan.key]?.ready);
    ok(await this.#time.run(ready, STARTED_AT + 600_000), "the pools are ready");
    let round = 0;
    const end = this.#time.now() + DAY_MS;
    const next = () => {
      if (this.#time.now() >= end) return;
      for (const { pool, plan } of this.#pools) this.#attack(pool, plan, round);
      round++;
      this.#time.after(ATTACK_INTERVAL_MS, next);
    };
    next();
    await this.#time.run(() => false, end + 600_000);
    const live = await this.store.liveJobs();
    deepEqual(live, [], "every job has ended");
    ok(await this.store.transfer() === undefined);
    this.#life.kill();
  }

  /**
   * The attacker's gain by kind of attack, in nano: refunds, less fees at the jetton's price and its own
   * costs.
   */
  get gains(): Record<string, bigint> {
    const gains: Record<string, bigint> = Object.fromEntries(this.#costs);
    for (const { pool, plan } of this.#pools) {
      for (const { request: { nullifierHash, fee, refund }, sender } of pool.payments) {
        const way = this.#ways.get(nullifierHash)!;
        // The relayer pays a relayed refund. The attacker's own withdrawal costs as much as the relayer's.
        const received = sender.equals(attacker) ? -pool.options.withdrawCost : refund;
        gains[way] += received - (plan.worthless ? 0n : fee);
      }
    }
    return gains;
  }

  /** The value in nano of fees in jettons that are not worthless. */
  get jettonFees(): bigint {
    return this.#pools.filter(({ plan }) => !plan.isNative && !plan.worthless)
      .flatMap(({ pool }) => pool.payments)
      .reduce((sum, { request: { fee, relayer } }) => relayer?.equals(attacker) ? sum : sum + fee, 0n);
  }

  /** Attacks once: each round uses another kind, with the note that the last round's money pays for. */
  #attack(pool: SimulatedPool, plan: Terms["pools"][number], round: number): void {
    const note = { pool, nullifierHash: this.#random.element(), recipient: attacker };
    const maxRefund = plan.terms.maxRefund ?? 0n;
    const floor = this.#floorOf(plan);
    const ways: Record<string, () => void> = {
      "the largest refund": () => this.#submit(note, { fee: floor, refund: maxRefund }),
      "a refund that nobody offered": () => this.#submit(note, { fee: floor, refund: maxRefund + REFUND }),
      "a note spent twice at once": () => {
        this.#submit(note, { fee: floor, refund: maxRefund });
        this.#time.after(this.#random.int(0, 9_000), () => this.#withdrawDirectly(note));
      },
      "a root that leaves": () => {
        this.#submit(note, { fee: floor, refund: maxRefund, age: 26 });
        for (let i = 0; i < 4; i++) this.#deposit(pool, plan, way);
      },
      "a root that is too old": () => this.#submit(note, { fee: floor, refund: maxRefund, age: 28 }),
      "an invalid proof": () => this.#submit(note, { fee: floor + 1n, refund: maxRefund }),
    };
    const way = Object.keys(ways)[round % Object.keys(ways).length];
    this.#ways.set(note.nullifierHash, way);
    this.#deposit(pool, plan, way);
    this.#time.after(UNTIL_INDEXED_MS, ways[way]);
  }

  #floorOf({ isNative, terms: { feeMin } }: Terms["pools"][number]): bigint {
    const share = DENOMINATION * BigInt(DEFAULT_FEE_BPS) / 10_000n;
    const least = feeMin ?? (isNative ? DEFAULT_FEE_MIN : 0n);
    const floor = share > least ? share : least;
    return floor + floor % 2n; // an odd fee marks an invalid proof
  }

  #deposit(pool: SimulatedPool, { isNative }: Terms["pools"][number], way: string): void {
    this.world.deposit(pool, this.#random.element());
    const { deposit } = costs[isNative ? "native" : "jetton"];
    this.#costs.set(way, (this.#costs.get(way) ?? 0n) - deposit);
  }

  #submit(
    note: Parameters<typeof withdrawRequest>[0],
    { fee, refund, age = 0 }: { fee: bigint; refund: bigint; age?: number },
  ): void {
    const request = withdrawRequest(note, note.pool.roots[age], this.world.wallet.address);
    const count = (what: string) => this.outcomes[what] = (this.outcomes[what] ?? 0) + 1;
    this.relayer.submit({ ...request, fee, refund, signals: { ...request.signals, fee, refund } }).then(
      () => count("accepted"),
      (error) => count(error instanceof Problem ? error.code : String(error)),
    );
  }

  /** Withdraws to the attacker without the relayer. */
  #withdrawDirectly({ pool, nullifierHash }: Parameters<typeof withdrawRequest>[0]): void {
    const body = storeWithdraw({
      queryId: 1n,
      root: pool.roots[0],
      nullifierHash,
      fee: 0n,
      refund: 0n,
      recipient: attacker,
      relayer: attacker,
      proof: beginCell().endCell(),
    });
    this.world.send(attacker, pool.address, WITHDRAW_VALUE * 10n, body);
  }
}

/** Returns the relayer's profit by its ledger: fees in coins, gas and refunds. */
async function bookedProfit(store: Store, native: ReadonlySet<string>): Promise<bigint> {
  let profit = 0n;
  for await (const { pool, fee, gas, refund } of store.ledger(0, Infinity)) {
    profit += (native.has(pool) ? fee : 0n) - gas - refund;
  }
  return profit;
}

async function attackFor(terms: Terms) {
  const attack = await Attack.start(terms);
  const before = attack.world.balance;
  await attack.run();
  const coins = attack.world.balance - before;
  const native = new Set(
    [...attack.world.pools.values()].filter(({ options }) => options.isNative).map(({ address }) =>
      address.toRawString()
    ),
  );
  deepEqual(
    await bookedProfit(attack.store, native),
    coins,
    "the ledger is what the wallet gained, to the nano",
  );
  return { gains: attack.gains, relayer: coins + attack.jettonFees, outcomes: attack.outcomes };
}

Deno.test("a day of attacks with the default policy makes the attacker poorer with each attack, and the relayer richer", async () => {
  const { gains, relayer, outcomes } = await attackFor(defaultTerms);
  equal(Object.keys(gains).length, 6);
  for (const [way, gain] of Object.entries(gains)) ok(gain < 0n, `${way} gained ${gain}`);
  ok(relayer > 0n, `the relayer lost ${-relayer}`);
  const refusals = ["fee_min_missing", "proof_invalid", "refund_above_limit", "stale_root"];
  deepEqual(Object.keys(outcomes).sort(), ["accepted", ...refusals]);
});

Deno.test("the same day with the default policy of earlier releases makes the attacker richer at the relayer's expense", async () => {
  const { gains, relayer } = await attackFor(oldTerms);
  ok(gains["the largest refund"] > 0n, `the attacker gained ${gains["the largest refund"]}`);
  ok(relayer < 0n, `the relayer gained ${relayer}`);
});
