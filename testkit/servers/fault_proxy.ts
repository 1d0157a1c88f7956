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

/** A barrier that holds calls until they are released. */
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
  /** The kinds that no call has met yet. */
  readonly unseenKinds: readonly FaultKind[];
  readonly callCount: number;
  /** The normalised hashes of the forwarded messages. */
  readonly forwardedHashes: ReadonlySet<string>;
  /** Sets the probability that a call meets a fault. */
  setFaultProbability(chance: number): void;
  /** If true, every root in an answer is altered. */
  altersRoots: boolean;
  /** Holds matching calls, before they are forwarded or before their response is returned. */
  addBarrier(where: "before" | "after", matches: (call: ProxiedCall) => boolean): Barrier;
}

/** The probability of a kind that has not occurred, while faults are enabled. The rarest kind is first. */
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
  return new RunningFaultProxy(target, new SeededRandom(seed));
}

class RunningFaultProxy implements FaultProxy {
  readonly counts = new Map<FaultKind, number>();
  readonly forwardedHashes = new Set<string>();
  altersRoots = false;
  callCount = 0;
  #faultProbability = 0;
  readonly #target: string;
  readonly #random: SeededRandom;
  readonly #history = new AnswerHistory();
  readonly #barriers = new Set<OpenBarrier>();
  readonly #server = serveRawHttp((request) => this.#handle(request));

  constructor(target: string, random: SeededRandom) {
    this.#target = target;
    this.#random = random;
  }

  url(client: string): string {
    return `http://127.0.0.1:${this.#server.port}/${client}/api/v2/jsonRPC`;
  }

  get unseenKinds(): readonly FaultKind[] {
    return allKinds.filter((kind) => !this.counts.has(kind));
  }

  setFaultProbability(chance: number): void {
    this.#faultProbability = chance;
  }

  addBarrier(where: "before" | "after", matches: (call: ProxiedCall) => boolean): Barrier {
    const caught = Promise.withResolvers<ProxiedCall>();
    const released = Promise.withResolvers<"go" | "drop">();
    const barrier: OpenBarrier = {
      where,
      matches,
      wait(call) {
        caught.resolve(call);
        return released.promise;
      },
      release: (verdict) => {
        this.#barriers.delete(barrier);
        released.resolve(verdict);
      },
    };
    this.#barriers.add(barrier);
    return { reached: caught.promise, release: barrier.release };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { release } of [...this.#barriers]) release("drop");
    await this.#server[Symbol.asyncDispose]();
  }

  async #handle(request: RawRequest): Promise<RawResponse | undefined> {
    this.callCount++;
    const call = parseCall(request);
    if (await this.#stopAt("before", call) === "drop") return undefined;
    let response = await this.#answer(call);
    if (response && this.altersRoots && isRootQuery(call)) {
      this.#count("false root");
      response = { ...response, body: alterRoots(response.body) };
    }
    return await this.#stopAt("after", call) === "drop" ? undefined : response;
  }

  async #stopAt(where: "before" | "after", call: ProxiedCall): Promise<"go" | "drop"> {
    for (const barrier of [...this.#barriers]) {
      if (barrier.where === where && barrier.matches(call) && await barrier.wait(call) === "drop") {
        return "drop";
      }
    }
    return "go";
  }

  async #answer(call: ProxiedCall): Promise<RawResponse | undefined> {
    const fault = this.#draw(call);
    const forward = (forwarded: ProxiedCall) => this.#forward(forwarded);
    const response = await applyFault(call, fault, forward, { random: this.#random, history: this.#history });
    if (fault !== undefined && !(response !== undefined && "untouched" in response)) this.#count(fault);
    return response;
  }

  /** Draws the fault of a call, if any. */
  #draw(call: ProxiedCall): FaultKind | undefined {
    if (this.#faultProbability === 0) return undefined;
    const meets = {
      "every call": true,
      "sends": call.method === "sendBoc",
      "histories": call.method === "getTransactions",
      "roots": isRootQuery(call),
      "reads whose answer has changed": this.#history.previousAnswers(call).length > 0,
    };
    const fits = (kind: FaultKind) => meets[faultKinds[kind]];
    const unmet = this.unseenKinds.filter(fits);
    const rare = unmet.filter((kind) => faultKinds[kind] !== "every call");
    if (unmet.length > 0 && this.#random.chance(UNSEEN_FAULT_PROBABILITY)) {
      return this.#random.pick(rare.length > 0 ? rare : unmet);
    }
    return this.#random.chance(this.#faultProbability) ? this.#random.pick(allKinds.filter(fits)) : undefined;
  }

  #count(kind: FaultKind): void {
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }

  async #forward({ method, params, body }: ProxiedCall): Promise<EndpointResponse> {
    if (method === "sendBoc") this.forwardedHashes.add(messageHash(params.boc));
    const response = await fetch(this.#target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    return { status: response.status, text: await response.text() };
  }
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
