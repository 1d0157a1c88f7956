/**
 * A chain endpoint that goes wrong on purpose: it stands in front of a good one and drops, repeats, delays, cuts and
 * alters what passes, as its seed decides. What it does is counted by kind, and kinds that were not met yet come first. A
 * test may also hold one request at an exact point, so that a process can be killed there. Which request meets which fault
 * depends on when they come; the seed fixes the dice, not the order in which real processes ask.
 */
import { Cell, loadMessage } from "@ton/core";
import { normalizedHash } from "../../src/ton/wallet.ts";
import { Random } from "../reliability/simulation/random.ts";
import {
  asksForRoots,
  type FaultKind,
  faultKinds,
  faulty,
  KeptAnswers,
  otherRoot,
  type PlainAnswer,
  type ProxiedCall,
} from "./faults.ts";
import { serveWire, type WireAnswer, type WireRequest } from "./http_wire.ts";

/** Stops calls at a point until they are released. */
export interface Barrier {
  /** The first call that stands there; its process may be killed now. */
  readonly caught: Promise<ProxiedCall>;
  /** Lets go: what stands here goes on, or its connection is dropped. Nothing is held afterwards. */
  release(verdict: "go" | "drop"): void;
}

/** A running proxy. */
export interface FaultProxy extends AsyncDisposable {
  /** URL of the endpoint for a client of this name. */
  url(client: string): string;
  readonly counts: ReadonlyMap<FaultKind, number>;
  /** Kinds that no call has met yet. */
  readonly unmet: readonly FaultKind[];
  /** Calls that came. */
  readonly calls: number;
  /** Normalised hashes of the messages that were passed on. */
  readonly forwarded: ReadonlySet<string>;
  /** From now on a call meets a fault with this probability; 0: none does. */
  storm(chance: number): void;
  /** While true every root that the endpoint tells is another one. */
  lying: boolean;
  /** Holds calls that match, before they are passed on or before their answer is given. */
  hold(where: "before" | "after", matches: (call: ProxiedCall) => boolean): Barrier;
}

/** In a storm, the probability that a call meets a kind that was not met yet; those that fit few calls come first. */
const FIRST_CHANCE = 0.5;

const allKinds = Object.keys(faultKinds) as FaultKind[];

interface OpenBarrier {
  readonly where: "before" | "after";
  readonly matches: (call: ProxiedCall) => boolean;
  readonly stand: (call: ProxiedCall) => Promise<"go" | "drop">;
  readonly release: (verdict: "go" | "drop") => void;
}

/** Puts a proxy in front of the endpoint at `target`. */
export function startFaultProxy({ target, seed }: { target: string; seed: number }): FaultProxy {
  const random = new Random(seed);
  const counts = new Map<FaultKind, number>();
  const kept = new KeptAnswers();
  const forwarded = new Set<string>();
  const barriers = new Set<OpenBarrier>();
  let chance = 0;
  let calls = 0;

  async function stopAt(where: "before" | "after", call: ProxiedCall): Promise<"go" | "drop"> {
    for (const barrier of [...barriers]) {
      if (barrier.where === where && barrier.matches(call) && await barrier.stand(call) === "drop") {
        return "drop";
      }
    }
    return "go";
  }

  async function forward({ method, params, body }: ProxiedCall): Promise<PlainAnswer> {
    if (method === "sendBoc") forwarded.add(messageHash(params.boc));
    const response = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  function draw(call: ProxiedCall): FaultKind | undefined {
    if (chance === 0) return undefined;
    const meets = {
      "every call": true,
      "sends": call.method === "sendBoc",
      "histories": call.method === "getTransactions",
      "roots": asksForRoots(call),
      "reads whose answer has changed": kept.outdated(call).length > 0,
    };
    const fits = (kind: FaultKind) => meets[faultKinds[kind]];
    const unmet = proxy.unmet.filter(fits);
    const rare = unmet.filter((kind) => faultKinds[kind] !== "every call");
    if (unmet.length > 0 && random.chance(FIRST_CHANCE)) return random.pick(rare.length > 0 ? rare : unmet);
    return random.chance(chance) ? random.pick(allKinds.filter(fits)) : undefined;
  }

  function count(kind: FaultKind): void {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  async function answer(call: ProxiedCall): Promise<WireAnswer | undefined> {
    const fault = draw(call);
    const given = await faulty(call, fault, forward, { random, kept });
    if (fault !== undefined && !(given !== undefined && "untouched" in given)) count(fault);
    return given;
  }

  async function handle(request: WireRequest): Promise<WireAnswer | undefined> {
    calls++;
    const call = parseCall(request);
    if (await stopAt("before", call) === "drop") return undefined;
    let given = await answer(call);
    if (given && proxy.lying && asksForRoots(call)) {
      count("lying root");
      given = { ...given, body: otherRoot(given.body) };
    }
    return await stopAt("after", call) === "drop" ? undefined : given;
  }

  const server = serveWire(handle);
  const proxy: FaultProxy = {
    url: (client) => `http://127.0.0.1:${server.port}/${client}/api/v2/jsonRPC`,
    counts,
    get unmet() {
      return allKinds.filter((kind) => !counts.has(kind));
    },
    get calls() {
      return calls;
    },
    forwarded,
    storm: (next) => void (chance = next),
    lying: false,
    hold(where, matches) {
      const caught = Promise.withResolvers<ProxiedCall>();
      const released = Promise.withResolvers<"go" | "drop">();
      const barrier: OpenBarrier = {
        where,
        matches,
        stand(call) {
          caught.resolve(call);
          return released.promise;
        },
        release(verdict) {
          barriers.delete(barrier);
          released.resolve(verdict);
        },
      };
      barriers.add(barrier);
      return { caught: caught.promise, release: barrier.release };
    },
    async [Symbol.asyncDispose]() {
      for (const { release } of [...barriers]) release("drop");
      await server[Symbol.asyncDispose]();
    },
  };
  return proxy;
}

function parseCall({ path, body }: WireRequest): ProxiedCall {
  const { method, params } = JSON.parse(body);
  return { client: path.split("/")[1], method, params, body };
}

function messageHash(boc: string): string {
  const { info, body } = loadMessage(Cell.fromBase64(boc).beginParse());
  if (info.type !== "external-in") throw new TypeError("only external messages are sent");
  return normalizedHash(info.dest, body);
}
