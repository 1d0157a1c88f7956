/**
 * A proxy of a chain endpoint that drops, repeats, delays, truncates and alters calls by its seed. It counts faults
 * by kind and prefers kinds that have not occurred. A test can also hold one call, to kill a process there. The seed
 * fixes the random choices, but not the order in which processes send calls.
 */
import { Cell, loadMessage } from "@ton/core";
import { normalizedMessageHash } from "../../src/ton/wallet/wallet.ts";
import { SeededRandom } from "../random/seeded_random.ts";
import {
  alterRoots,
  AnswerHistory,
  applyFault,
  type EndpointResponse,
  type FaultKind,
  faultKinds,
  isRootQuery,
  type ProxiedCall,
} from "./endpoint_faults.ts";
import { type RawRequest, type RawResponse, serveRawHttp } from "./raw_http_server.ts";

/** Holds calls until they are released. */
export interface Barrier {
  /** The first held call. Its process can be killed now. */
  readonly reached: Promise<ProxiedCall>;
  /** Removes the barrier: held calls continue, or their connections are closed. */
  release(verdict: "go" | "drop"): void;
}

export interface FaultProxy extends AsyncDisposable {
  /** Returns the endpoint's URL for a client with this name. */
  url(client: string): string;
  readonly counts: ReadonlyMap<FaultKind, number>;
  /** Kinds that no call has met yet. */
  readonly unseenKinds: readonly FaultKind[];
  readonly callCount: number;
  /** Normalised hashes of the forwarded messages. */
  readonly forwardedHashes: ReadonlySet<string>;
  /** Sets the probability that a call meets a fault. */
  setFaultProbability(chance: number): void;
  /** While true, every root in an answer is altered. */
  altersRoots: boolean;
  /** Holds matching calls, before they are forwarded or before their answer is returned. */
  addBarrier(where: "before" | "after", matches: (call: ProxiedCall) => boolean): Barrier;
}

/** While faults are enabled, the probability of a kind that has not occurred, rarest first. */
const UNSEEN_FAULT_PROBABILITY = 0.5;

const allKinds = Object.keys(faultKinds) as FaultKind[];

interface OpenBarrier {
  readonly where: "before" | "after";
  readonly matches: (call: ProxiedCall) => boolean;
  readonly wait: (call: ProxiedCall) => Promise<"go" | "drop">;
  readonly release: (verdict: "go" | "drop") => void;
}

/** Starts a proxy of the endpoint at `target`. */
export function startFaultProxy({ target, seed }: { target: string; seed: number }): FaultProxy {
  const random = new SeededRandom(seed);
  const counts = new Map<FaultKind, number>();
  const kept = new AnswerHistory();
  const forwarded = new Set<string>();
  const barriers = new Set<OpenBarrier>();
  let chance = 0;
  let calls = 0;

  async function stopAt(where: "before" | "after", call: ProxiedCall): Promise<"go" | "drop"> {
    for (const barrier of [...barriers]) {
      if (barrier.where === where && barrier.matches(call) && await barrier.wait(call) === "drop") {
        return "drop";
      }
    }
    return "go";
  }

  async function forward({ method, params, body }: ProxiedCall): Promise<EndpointResponse> {
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
      "roots": isRootQuery(call),
      "reads whose answer has changed": kept.previousAnswers(call).length > 0,
    };
    const fits = (kind: FaultKind) => meets[faultKinds[kind]];
    const unmet = proxy.unseenKinds.filter(fits);
    const rare = unmet.filter((kind) => faultKinds[kind] !== "every call");
    if (unmet.length > 0 && random.chance(UNSEEN_FAULT_PROBABILITY)) {
      return random.pick(rare.length > 0 ? rare : unmet);
    }
    return random.chance(chance) ? random.pick(allKinds.filter(fits)) : undefined;
  }

  function count(kind: FaultKind): void {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  async function answer(call: ProxiedCall): Promise<RawResponse | undefined> {
    const fault = draw(call);
    const given = await applyFault(call, fault, forward, { random, kept });
    if (fault !== undefined && !(given !== undefined && "untouched" in given)) count(fault);
    return given;
  }

  async function handle(request: RawRequest): Promise<RawResponse | undefined> {
    calls++;
    const call = parseCall(request);
    if (await stopAt("before", call) === "drop") return undefined;
    let given = await answer(call);
    if (given && proxy.altersRoots && isRootQuery(call)) {
      count("lying root");
      given = { ...given, body: alterRoots(given.body) };
    }
    return await stopAt("after", call) === "drop" ? undefined : given;
  }

  const server = serveRawHttp(handle);
  const proxy: FaultProxy = {
    url: (client) => `http://127.0.0.1:${server.port}/${client}/api/v2/jsonRPC`,
    counts,
    get unseenKinds() {
      return allKinds.filter((kind) => !counts.has(kind));
    },
    get callCount() {
      return calls;
    },
    forwardedHashes: forwarded,
    setFaultProbability: (next) => void (chance = next),
    altersRoots: false,
    addBarrier(where, matches) {
      const caught = Promise.withResolvers<ProxiedCall>();
      const released = Promise.withResolvers<"go" | "drop">();
      const barrier: OpenBarrier = {
        where,
        matches,
        wait(call) {
          caught.resolve(call);
          return released.promise;
        },
        release(verdict) {
          barriers.delete(barrier);
          released.resolve(verdict);
        },
      };
      barriers.add(barrier);
      return { reached: caught.promise, release: barrier.release };
    },
    async [Symbol.asyncDispose]() {
      for (const { release } of [...barriers]) release("drop");
      await server[Symbol.asyncDispose]();
    },
  };
  return proxy;
}

function parseCall({ path, body }: RawRequest): ProxiedCall {
  const { method, params } = JSON.parse(body);
  return { client: path.split("/")[1], method, params, body };
}

function messageHash(boc: string): string {
  const { info, body } = loadMessage(Cell.fromBase64(boc).beginParse());
  if (info.type !== "external-in") throw new TypeError("only external messages are sent");
  return normalizedMessageHash(info.dest, body);
}
