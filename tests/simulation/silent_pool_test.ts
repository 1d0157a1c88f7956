/** A pool whose endpoint gives no quote holds up its own withdrawals and nobody else's. The relayer's core on virtual time. */
import { equal, ok } from "node:assert/strict";
import { Address } from "@ton/core";
import { Problem } from "../../src/core/errors.ts";
import { parseProof, proofToCell } from "../../src/core/proof_codec.ts";
import { startRelayer } from "../../src/relay/relayer.ts";
import { rootLog } from "../../src/telemetry/log.ts";
import type { Chain } from "../../src/ton/chain.ts";
import { memoryStore } from "../support/memory_store.ts";
import { PoolModel } from "./accounts.ts";
import { openEndpoint, poolCode } from "./endpoint.ts";
import { Life } from "./life.ts";
import { Random } from "./random.ts";
import { requestOf } from "./requests.ts";
import { Timeline } from "./timeline.ts";
import { walletsOf } from "./wallets.ts";
import { World } from "./world.ts";

const START = 1_800_000_000_000;
const DENOMINATION = 10_000_000_000n;
const VKEY_HASH = "11".repeat(32);
const refusing = () => Promise.reject(new Problem("chain_unavailable", "refused"));
const hanging = () => new Promise<never>(() => {});

for (const [how, answer] of [["fails", refusing], ["hangs", hanging]] as const) {
  Deno.test(`broadcaster: a pool whose quote ${how} keeps no withdrawal of another pool waiting`, async () => {
    const random = new Random(5);
    const time = new Timeline(random, START);
    const [wallet] = await walletsOf("v4R2");
    const pools = [0x10, 0x11].map((byte) =>
      new PoolModel(new Address(0, Buffer.alloc(32, byte)), DENOMINATION)
    );
    const [silent, sound] = pools;
    const faults = { forget: 0, repeat: 0 };
    const world = new World(random, time, { version: "v4R2", publicKey: wallet.publicKey, pools, faults });
    for (const pool of pools) for (let i = 0; i < 2; i++) world.deposit(pool, random.element());

    const life = new Life();
    const endpoint = openEndpoint(world, {
      random,
      time,
      life,
      faults: () => ({ fail: 0, loseAnswer: 0, stale: 0, short: 0 }),
      struck: () => {},
    });
    let broken = true;
    let asked = 0;
    const get: Chain["get"] = (address, method, ...rest) => {
      if (!broken || method !== "get_withdraw_value" || !address.equals(silent.address)) {
        return endpoint.get(address, method, ...rest);
      }
      asked++;
      return answer();
    };
    const chain = { ...endpoint, get };
    wallet.connect(chain);

    const store = memoryStore({ now: () => time.now(), shared: false })();
    // The silent pool's withdrawals are the oldest, so that they come first in every round.
    const jobs = [silent, silent, sound].map((pool, i) => {
      const recipient = new Address(0, Buffer.alloc(32, 0x60 + i));
      const note = { pool, nullifierHash: random.element(), recipient };
      const { proof, signals } = requestOf(note, pool.roots[0], wallet.wallet.address);
      return {
        pool: pool.address.toRawString(),
        nullifierHash: note.nullifierHash,
        state: "accepted" as const,
        queryId: BigInt(i + 1),
        root: signals.root,
        fee: signals.fee,
        refund: signals.refund,
        message: {
          recipient: recipient.toRawString(),
          proof: proofToCell(parseProof(proof)).toBoc().toString("base64"),
        },
        failures: 0,
        acceptedAt: START + i,
      };
    });
    for (const job of jobs) await store.addJob(job, () => false);
    const stateOf = (i: number) => store.job(jobs[i]).then((job) => job!.state);

    startRelayer({
      config: { network: "testnet", fee: { bps: 50, minNano: 50_000_000n }, indexer: { apiKey: "key" } },
      chain,
      wallet: wallet.wallet,
      store,
      prover: { verify: () => Promise.resolve(true) },
      vkeyHash: VKEY_HASH,
      deployments: {
        network: "testnet",
        pools: new Map(pools.map((pool, i) => [`native-${10 + i}`, {
          address: pool.address,
          asset: "native",
          amount: "10",
          denomination: pool.denomination,
          deployedSeqno: 1,
          codeHash: poolCode.hash().toString("hex"),
          vkeyHash: VKEY_HASH,
          owner: null,
        }])),
      },
      clock: life.clock(time),
      random: (bytes) => random.fill(bytes),
      log: rootLog(),
    });

    const paid = await time.run(() => sound.spent.size === 1, START + 120_000);
    ok(paid, "the sound pool's withdrawal is paid within two minutes");
    await time.run(() => false, time.now() + 60_000);
    equal(await stateOf(2), "confirmed");
    equal(await stateOf(0), "accepted");
    equal(await stateOf(1), "accepted");
    ok(asked > 2, "the silent pool is asked again and again");
    ok(asked < 60, `and not without a pause: ${asked} times`);

    broken = false;
    await time.run(() => silent.spent.size === 2, time.now() + 120_000);
    await time.run(() => false, time.now() + 60_000);
    equal(await stateOf(0), "confirmed");
    equal(await stateOf(1), "confirmed");
    for (const count of world.arrivals.values()) equal(count, 1, "each message reached its pool once");
    life.kill();
  });
}
