/**
 * Speaks a relayer's HTTP API. Everything that comes back is parsed before it is believed. This class never sends a
 * note, and never sends a commitment and a nullifier hash in one request: that would tell the relayer which deposit
 * is being withdrawn.
 */
import { Address } from "@ton/core";
import { z } from "zod";
import { Problem } from "../core/errors.ts";
import { policyFloor } from "../core/fee.ts";
import { FIELD_MODULUS, toHex } from "../core/field.ts";
import type { Groth16Proof } from "../core/groth16.ts";
import { MERKLE_TREE_HEIGHT } from "../core/merkle_tree.ts";
import { networks } from "../core/network.ts";
import { relayerUrl } from "../core/urls.ts";
import { pause } from "./pause.ts";
import { isHttpProblem, RelayerProblem } from "./relayer_problem.ts";
import { FailedTry, retryAfterMs, retrying, type RetryOptions } from "./retry.ts";

const hexField = z.string().regex(/^0x[0-9a-fA-F]{1,64}$/).transform(BigInt)
  .refine((x) => x < FIELD_MODULUS, "is not below r");
const nano = z.string().regex(/^(0|[1-9][0-9]{0,38})$/).transform(BigInt);
const address = z.string().transform((text, context) => {
  try {
    return Address.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is not an address" });
    return z.NEVER;
  }
});

const status = z.object({
  network: z.enum(networks),
  feeBps: z.int().nonnegative(),
  feeMinNanoNative: nano,
  relayerAddress: address,
});
const pool = z.object({
  address,
  asset: z.string(),
  amount: z.string(),
  generation: z.int().positive().optional(),
  denomination: nano,
  deployedSeqno: z.int(),
  feeMin: nano.optional(),
  maxRefund: nano.optional(),
  retired: z.boolean().optional(),
  jettonMaster: address.optional(),
  decimals: z.int().min(0).max(30).optional(),
});
const pools = z.object({ network: z.enum(networks), pools: z.record(z.string(), pool) });
const noteCheck = z.object({
  deposited: z.boolean().nullable(),
  leafIndex: z.int().nullable(),
  timestamp: z.int().nullable(),
  spent: z.boolean().nullable(),
});
const treeRoot = z.object({ root: hexField });
const treePath = z.object({
  root: hexField,
  pathIndices: z.array(z.union([z.literal(0), z.literal(1)])).length(MERKLE_TREE_HEIGHT),
  pathElements: z.array(hexField).length(MERKLE_TREE_HEIGHT),
});
const commitments = z.object({
  from: z.int(),
  count: z.int(),
  nextFrom: z.int().nullable(),
  commitments: z.array(z.object({ leafIndex: z.int(), commitment: hexField })),
});
const sent = z.object({ seqno: z.int(), fee: nano });
const withdrawal = z.object({
  state: z.enum(["accepted", "broadcast", "confirmed", "failed", "expired"]),
  seqno: z.int().nullish(),
  fee: nano.nullish(),
  messageHash: z.string().regex(/^[0-9a-f]{64}$/).nullish(),
  txHash: z.string().regex(/^[0-9a-f]{64}$/).nullish(),
  reason: z.string().nullish(),
});
const problemDocument = z.object({ code: z.string() });

/** What `GET /status` says: the address to bind as relayer and the fee policy. */
export type RelayerStatus = z.output<typeof status>;
/** One pool of `GET /pools`. */
export type RelayerPool = z.output<typeof pool>;
/** A Merkle path as a relayer gives it. Asking for it reveals the deposit. */
export type RelayerPath = z.output<typeof treePath>;
/** Where a relayed withdrawal stands; only `failed` and `expired` may be submitted again. */
export type WithdrawalStatus = z.output<typeof withdrawal>;
/** What `POST /withdraw` needs; {@linkcode buildWithdrawArgs} makes it. */
export interface WithdrawArgs {
  readonly pool: Address;
  readonly proof: Groth16Proof;
  /** root, nullifierHash, recipient, relayer, fee, refund: decimal strings. */
  readonly publicSignals: readonly string[];
  readonly recipient: Address;
  /** Nano of the pool's asset. */
  readonly fee: bigint;
  /** Nano native. */
  readonly refund: bigint;
}

/** Options of {@linkcode RelayerClient}. */
export interface RelayerClientOptions {
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** Milliseconds until one try of a request is given up; default 60,000. A withdrawal may wait 30 s for the wallet's turn. */
  readonly timeoutMs?: number;
  /** Milliseconds until a request is given up, all its tries and the waits between them together; default 90,000. */
  readonly totalMs?: number;
  /** Tries of a request that may succeed later; default 3. A withdrawal is never paid twice for being tried again. */
  readonly attempts?: number;
  /** Milliseconds of Retry-After above which it is given up instead; default 30,000. */
  readonly longestWaitMs?: number;
  /** Ends every request and every wait between them, with `cancelled`. */
  readonly signal?: AbortSignal;
  /** Ends them too, with `relayer_unavailable`. */
  readonly deadline?: AbortSignal;
  /** Default: the platform's time. */
  readonly wait?: (ms: number) => Promise<void>;
  /** In [0, 1); default: `Math.random`. */
  readonly random?: () => number;
}

/** The most commitments that a relayer returns in one page. */
export const MAX_PAGE = 10_000;

/** The longest answer that is read: a page of 10,000 commitments takes 1.1 MiB. */
const LONGEST_ANSWER = 8 * 2 ** 20;

/**
 * Client of one relayer. Methods throw {@link RelayerProblem} with the relayer's own code when it refuses, and
 * `relayer_unavailable` when it does not answer or answers nonsense.
 */
export class RelayerClient {
  readonly baseUrl: string;
  readonly #options: RelayerClientOptions;
  readonly #fetch: typeof fetch;
  readonly #retry: Omit<RetryOptions, "wait">;

  /** @throws {Problem} `invalid_config` for what is no http or https URL, or has user, password or query */
  constructor(baseUrl: string, options: RelayerClientOptions = {}) {
    this.baseUrl = relayerUrl(baseUrl);
    this.#options = options;
    this.#fetch = options.fetch ?? fetch;
    this.#retry = {
      attempts: options.attempts ?? 3,
      longestWaitMs: options.longestWaitMs ?? 30_000,
      random: options.random ?? Math.random,
    };
  }

  /** The same relayer, that is waited for so long and no longer, from now on and whatever it is asked. */
  within(ms: number): RelayerClient {
    const deadline = AbortSignal.any([AbortSignal.timeout(ms), ...given(this.#options.deadline)]);
    return new RelayerClient(this.baseUrl, { ...this.#options, deadline });
  }

  /** Network, fee policy and the address to bind as the relayer. */
  status(): Promise<RelayerStatus> {
    return this.#ask(status, "/status");
  }

  /**
   * The relayer's pools by `<asset>-<amount>`, successors by `<asset>-<amount>-g<generation>`. A note names no generation:
   * whoever keeps a note keeps its pool's address beside it.
   */
  pools(): Promise<z.output<typeof pools>> {
    return this.#ask(pools, "/pools");
  }

  /**
   * The smallest fee that this relayer takes for a withdrawal from a pool, in the pool's asset.
   *
   * @param which the pool's address, or its key in {@linkcode pools}
   * @throws {Problem} `unknown_pool`
   */
  async feeFloor(which: string | Address): Promise<bigint> {
    const [{ feeBps, feeMinNanoNative }, { network, pools }] = await Promise.all([
      this.status(),
      this.pools(),
    ]);
    const pool = typeof which === "string"
      ? Object.hasOwn(pools, which) ? pools[which] : undefined
      : Object.values(pools).find(({ address }) => address.equals(which));
    if (!pool) {
      const shown = typeof which === "string" ? which : which.toString({ testOnly: network !== "mainnet" });
      throw new Problem("unknown_pool", `${this.baseUrl} serves no pool ${shown}`);
    }
    const feeMin = pool.feeMin ?? (pool.asset === "native" ? feeMinNanoNative : 0n);
    return policyFloor({ denomination: pool.denomination, feeBps, feeMin });
  }

  /** Whether a deposit is known: says nothing of a withdrawal. */
  async isDeposited(pool: Address, commitment: bigint): Promise<z.output<typeof noteCheck>> {
    return await this.#ask(noteCheck, "/note/check", {
      pool: pool.toString(),
      commitment: toHex(commitment),
    });
  }

  /** Whether a nullifier hash is spent: says nothing of a deposit. */
  async isSpent(pool: Address, nullifierHash: bigint): Promise<boolean> {
    const body = { pool: pool.toString(), nullifierHash: toHex(nullifierHash) };
    return (await this.#ask(noteCheck, "/note/check", body)).spent === true;
  }

  /** The current root as the relayer's indexer saw it. */
  async treeRoot(pool: Address): Promise<bigint> {
    return (await this.#ask(treeRoot, `/tree/root?pool=${pool.toString()}`)).root;
  }

  /** A Merkle path. It tells the relayer which deposit is being withdrawn: rebuild the tree instead. */
  treePath(pool: Address, commitment: bigint): Promise<RelayerPath> {
    return this.#ask(treePath, `/tree/path?pool=${pool.toString()}&commitment=${toHex(commitment)}`);
  }

  /** Every commitment from leaf `from` on, page by page, in order and without gaps. */
  async *treeCommitments(pool: Address, from = 0, limit = MAX_PAGE): AsyncGenerator<bigint[]> {
    for (let next: number | null = from; next !== null;) {
      const page: z.output<typeof commitments> = await this.#ask(
        commitments,
        `/tree/commitments?pool=${pool.toString()}&from=${next}&limit=${limit}`,
      );
      const expected: number = next;
      if (
        page.count !== page.commitments.length ||
        page.commitments.some((row, i) => row.leafIndex !== expected + i)
      ) {
        throw new Problem("relayer_unavailable", "the relayer's page of commitments has gaps");
      }
      if (page.nextFrom !== null && page.nextFrom !== expected + page.count) {
        throw new Problem("relayer_unavailable", "the relayer's pages of commitments do not join");
      }
      if (page.count > 0) yield page.commitments.map((row) => row.commitment);
      next = page.count > 0 ? page.nextFrom : null;
    }
  }

  /**
   * Submits a withdrawal. When a try was not answered, or with `not_ready`, and the next one hears that the note is in
   * use, that was this very withdrawal: it goes on as `waiting`.
   *
   * @returns `sent` with the wallet's seqno, or `waiting` when the relayer's wallet is still busy (202): ask
   *   {@linkcode withdrawStatus} then.
   * @throws {Problem} what the relayer refuses; `nullifier_already_used` carries where that withdrawal stands in
   *   `members.withdrawal`. `relayer_unavailable` when it does not answer in time: it may carry out all the same what it
   *   was sent
   */
  async withdraw(
    args: WithdrawArgs,
  ): Promise<{ state: "sent"; seqno: number; fee: bigint } | { state: "waiting" }> {
    const body = {
      pool: args.pool.toString(),
      proof: args.proof,
      publicSignals: args.publicSignals,
      recipient: args.recipient.toString(),
      fee: String(args.fee),
      refund: String(args.refund),
    };
    const deadline = this.#deadline();
    return await retrying(async (unsure) => {
      try {
        const { status, json } = await this.#attempt("/withdraw", body, deadline);
        if (status === 202) return { state: "waiting" };
        return { state: "sent", ...parse(sent, json, "/withdraw") };
      } catch (error) {
        if (unsure && error instanceof FailedTry && error.problem.code === "nullifier_already_used") {
          return { state: "waiting" };
        }
        throw error;
      }
    }, { ...this.#retry, wait: (ms) => this.#wait(ms, "/withdraw", deadline) });
  }

  /** Where a withdrawal stands. */
  withdrawStatus(pool: Address, nullifierHash: bigint): Promise<WithdrawalStatus> {
    return this.#ask(withdrawal, "/withdraw/status", {
      pool: pool.toString(),
      nullifierHash: toHex(nullifierHash),
    });
  }

  async #ask<S extends z.ZodType>(schema: S, path: string, body?: unknown): Promise<z.output<S>> {
    const deadline = this.#deadline();
    const { json } = await retrying(() => this.#attempt(path, body, deadline), {
      ...this.#retry,
      wait: (ms) => this.#wait(ms, path, deadline),
    });
    return parse(schema, json, path);
  }

  /** Of one request with all its tries: an answer that drips takes no more time than none. */
  #deadline(): AbortSignal {
    const { totalMs = 90_000, deadline } = this.#options;
    return AbortSignal.any([AbortSignal.timeout(totalMs), ...given(deadline)]);
  }

  /** Between two tries. @throws {Problem} `cancelled`, `relayer_unavailable` after the deadline */
  async #wait(ms: number, path: string, deadline: AbortSignal): Promise<void> {
    const { wait, signal } = this.#options;
    if (wait) return await wait(ms);
    try {
      await pause(ms, AbortSignal.any([...given(signal), deadline]));
    } catch (error) {
      throw deadline.aborted && !signal?.aborted ? this.#late(path) : error;
    }
  }

  #late(path: string): Problem {
    return this.#unanswered(path, "has not answered", " in time");
  }

  /** Of what was submitted nobody knows then what becomes of it. */
  #unanswered(path: string, how: string, when: string, cause?: unknown): Problem {
    const unknown = path === "/withdraw" ? ", and may still carry out what it was sent" : "";
    const detail = `${this.baseUrl} ${how} ${routeOf(path)}${when}${unknown}`;
    return new Problem("relayer_unavailable", detail, { cause });
  }

  /** @throws {FailedTry}, and {Problem} `cancelled` or, after the deadline, `relayer_unavailable` */
  async #attempt(
    path: string,
    body: unknown,
    deadline: AbortSignal,
  ): Promise<{ status: number; json: unknown }> {
    const route = routeOf(path);
    const { signal, timeoutMs = 60_000 } = this.#options;
    let response: Response | undefined;
    let json: unknown;
    try {
      const send = this.#fetch; // browsers refuse a fetch that is called as a method
      response = await send(`${this.baseUrl}${path}`, {
        method: body === undefined ? "GET" : "POST",
        headers: body === undefined ? {} : { "content-type": "application/json" },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...given(signal), deadline]),
      });
      json = JSON.parse(await bounded(response));
    } catch (cause) {
      if (signal?.aborted) throw new Problem("cancelled", undefined, { cause });
      if (deadline.aborted) throw this.#late(path);
      const problem = this.#unanswered(path, "does not answer", "", cause);
      const nonsense = cause instanceof SyntaxError || cause instanceof RangeError; // it did answer
      throw new FailedTry(problem, nonsense ? response?.status : undefined, patienceOf(response));
    }
    if (response.ok) return { status: response.status, json };
    throw new FailedTry(
      refusal(json, response.status, route, this.baseUrl),
      response.status,
      patienceOf(response),
    );
  }
}

function given(signal: AbortSignal | undefined): AbortSignal[] {
  return signal ? [signal] : [];
}

function routeOf(path: string): string {
  return path.split("?")[0];
}

function patienceOf(response: Response | undefined): number | undefined {
  return retryAfterMs(response?.headers.get("retry-after") ?? null, Date.now());
}

/** @throws {RangeError} when it is longer than any honest answer */
async function bounded(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > LONGEST_ANSWER) throw new RangeError("the answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function parse<S extends z.ZodType>(schema: S, json: unknown, path: string): z.output<S> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = `/${issue.path.map(shownKey).join("/")} ${issue.message}`;
  throw new Problem(
    "relayer_unavailable",
    `the relayer's answer to ${routeOf(path)} is malformed: ${where}`,
  );
}

/** Keys of a relayer's pools are the relayer's to choose. */
function shownKey(key: PropertyKey): string {
  return /^[\w.-]{1,40}$/.test(String(key)) ? String(key) : "…";
}

/** A code that is not of the HTTP interface is as good as none: a relayer cannot say that this program was cancelled. */
function refusal(json: unknown, status: number, route: string, relayer: string): Problem {
  const parsed = problemDocument.safeParse(json);
  if (!parsed.success || !isHttpProblem(parsed.data.code)) {
    return new Problem("relayer_unavailable", `the relayer answered ${route} with status ${status}`);
  }
  return new RelayerProblem(parsed.data.code, relayer, json as Record<string, unknown>);
}
