/** A relayer whose endpoint holds, forgets or accepts its messages. */
import { TupleReader } from "@ton/core";
import { HourlyCaps } from "../../../src/relay/withdrawals/hourly_caps.ts";
import { createMemoryRateLimitStore } from "../../../src/store/memory/memory_rate_limit_store.ts";
import type { RateLimitStore } from "../../../src/store/rate_limit_store.ts";
import { RelayerHarness, withMethods } from "./relayer_harness.ts";

const KEY = "native-1";

/** Starts a relayer whose endpoint holds, forgets or accepts its messages. */
export async function startHeldBroadcasts() {
  await using stack = new AsyncDisposableStack();
  const net = stack.use(await RelayerHarness.start({ relayer: false }));
  const [frontRun, dropped, poor, unseen, stale, selfRelayed] = [
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
    await net.deposit(KEY),
  ];
  /** The endpoint's treatment of the relayer's sends. */
  const state: {
    sends: number;
    sending: "held" | "forgotten" | "accepted";
    quote?: bigint | undefined;
    onIsSpent: () => void;
  } = { sends: 0, sending: "held", onIsSpent: () => {} };
  const heldSlots = new Set<string>();
  const memory = createMemoryRateLimitStore(Date.now);
  const counting: RateLimitStore = {
    ...memory,
    acquire: (limit, key, token) => (heldSlots.add(token), memory.acquire(limit, key, token)),
    release: (limit, key, token) => (heldSlots.delete(token), memory.release(limit, key, token)),
  };
  await net.startRelayer({
    caps: new HourlyCaps(counting, { hourly: 100, hourlyPerPool: 0 }),
    chain: (chain) =>
      withMethods(chain, {
        send(message, options) {
          state.sends++;
          if (state.sending === "held") return Promise.reject(new Error("held back"));
          return state.sending === "forgotten" ? Promise.resolve() : chain.send(message, options);
        },
        runGetMethod(address, method, args, options) {
          if (method === "getIsSpent") state.onIsSpent();
          return method === "get_withdraw_value" && state.quote !== undefined
            ? Promise.resolve(new TupleReader([{ type: "int", value: state.quote }]))
            : chain.runGetMethod(address, method, args, options);
        },
      }),
  });
  await net.untilIndexed(KEY);
  const pool = net.contract(KEY);
  const open = stack.move();
  return {
    net,
    frontRun,
    pool,
    selfRelayed,
    dropped,
    poor,
    unseen,
    stale,
    heldSlots,
    state,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export type HeldBroadcasts = Awaited<ReturnType<typeof startHeldBroadcasts>>;
