/** The client of a relayer. No request contains both a commitment and a nullifier hash: that would link them. */
import type { Address } from "@ton/core";
import { bytesToBigint, FIELD_BYTES, fieldToHex, writeFieldBytes } from "../../core/crypto/field.ts";
import type { Groth16Proof } from "../../core/crypto/groth16.ts";
import { assertCanonicalElements } from "../../core/crypto/poseidon.ts";
import { Problem } from "../../core/errors/problem.ts";
import { policyFloor } from "../../core/protocol/fee.ts";
import { RelayerTransport, type RelayerTransportOptions } from "./relayer_transport.ts";
import { AttemptError } from "./request_retry.ts";
import {
  type CommitmentsPage,
  commitmentsPageSchema,
  type NoteCheck,
  noteCheckSchema,
  poolsSchema,
  type RelayerMerklePath,
  type RelayerPools,
  type RelayerStatus,
  spentPageSchema,
  statusSchema,
  treePathSchema,
  treeRootSchema,
  type WithdrawalStatus,
  withdrawalStatusSchema,
  withdrawResponseSchema,
} from "./wire_types.ts";

export type { RelayerMerklePath, RelayerPool, RelayerStatus, WithdrawalStatus } from "./wire_types.ts";

/** The parameters of `POST /withdraw`. `fee` in the smallest unit of the pool's asset, `refund` in nano. */
export interface WithdrawArgs {
  readonly pool: Address;
  readonly proof: Groth16Proof;
  /** root, nullifierHash, recipient, relayer, fee, refund: decimal strings. */
  readonly publicSignals: readonly string[];
  readonly recipient: Address;
  readonly fee: bigint;
  readonly refund: bigint;
}

/** Timeouts and retries of a client's requests. */
export type RelayerClientOptions = Omit<RelayerTransportOptions, "deadline">;

export const MAX_PAGE_SIZE = 10_000;

/**
 * Client of one relayer. Methods throw {@linkcode RelayerProblem} if the relayer refuses, and
 * `relayer_unavailable` for a missing or malformed response.
 * @example
 * ```ts
 * const relayer = new RelayerClient("https://relayer.example", { requestTimeoutMs: 30_000 });
 * const { relayerAddress } = await relayer.status();
 * const fee = await relayer.feeFloor("native-10");
 * ```
 */
export class RelayerClient {
  readonly baseUrl: string;
  readonly #transport: RelayerTransport;

  /** Throws `invalid_config` unless `baseUrl` is http(s) without user, password and query. */
  constructor(baseUrl: string, private readonly options: RelayerClientOptions = {}) {
    this.#transport = new RelayerTransport(baseUrl, options);
    this.baseUrl = this.#transport.baseUrl;
  }

  withTimeout(ms: number): RelayerClient {
    const options: RelayerTransportOptions = { ...this.options, deadline: this.#transport.deadlineIn(ms) };
    return new RelayerClient(this.baseUrl, options);
  }

  status(): Promise<RelayerStatus> {
    return this.#transport.request(statusSchema, "/status");
  }

  /** Returns the relayer's pools. A note lacks the pool's generation, so store the pool's address with it. */
  pools(): Promise<RelayerPools> {
    return this.#transport.request(poolsSchema, "/pools");
  }

  /** Returns the fee in the asset's smallest unit. `which` is the pool's address or key. Throws `unknown_pool`. */
  async feeFloor(which: string | Address): Promise<bigint> {
    const [status, { network, pools }] = await Promise.all([this.status(), this.pools()]);
    const pool = typeof which === "string"
      ? Object.hasOwn(pools, which) ? pools[which] : undefined
      : Object.values(pools).find(({ address }) => address.equals(which));
    if (!pool) {
      const poolText = typeof which === "string"
        ? which
        : which.toString({ testOnly: network !== "mainnet" });
      throw new Problem("unknown_pool", `${this.baseUrl} serves no pool ${poolText}`);
    }
    return floorOf(pool, status);
  }

  /**
   * Returns the fees of all pools that accept withdrawals through the relayer, by the pool's raw address, in the
   * asset's smallest unit. The requests do not tell which pool matters.
   */
  async feeFloors(): Promise<ReadonlyMap<string, bigint>> {
    const [status, { pools }] = await Promise.all([this.status(), this.pools()]);
    const served = Object.values(pools).filter(({ retired }) => retired !== true);
    return new Map(served.map((pool) => [pool.address.toRawString(), floorOf(pool, status)]));
  }

  /** Returns whether a deposit is known. The request reveals nothing about a withdrawal. */
  async isDeposited(pool: Address, commitment: bigint): Promise<NoteCheck> {
    const body = { pool: pool.toString(), commitment: fieldToHex(commitment) };
    return await this.#transport.request(noteCheckSchema, "/note/check", body);
  }

  /** Returns whether a nullifier hash is spent. The request reveals nothing about a deposit. */
  async isSpent(pool: Address, nullifierHash: bigint): Promise<boolean> {
    const body = { pool: pool.toString(), nullifierHash: fieldToHex(nullifierHash) };
    return (await this.#transport.request(noteCheckSchema, "/note/check", body)).spent === true;
  }

  async treeRoot(pool: Address): Promise<bigint> {
    return (await this.#transport.request(treeRootSchema, `/tree/root?pool=${pool.toString()}`)).root;
  }

  /** Returns a Merkle path. The request reveals which deposit is withdrawn: prefer {@linkcode syncTree}. */
  treePath(pool: Address, commitment: bigint): Promise<RelayerMerklePath> {
    const path = `/tree/path?pool=${pool.toString()}&commitment=${fieldToHex(commitment)}`;
    return this.#transport.request(treePathSchema, path);
  }

  /** Yields every commitment from leaf `from` on, page by page, in order and without gaps. */
  async *treeCommitments(pool: Address, from = 0, limit = MAX_PAGE_SIZE): AsyncGenerator<bigint[]> {
    for (let next: number | null = from; next !== null;) {
      const path = `/tree/commitments?pool=${pool.toString()}&from=${next}&limit=${limit}`;
      const response = await this.#transport.requestBytes(path);
      const { commitments, nextFrom }: LeafPage = response.bytes
        ? parseLeafBytes(response.bytes, next, limit)
        : assertContiguous(response.parse(commitmentsPageSchema), next);
      if (commitments.length > 0) yield commitments;
      next = commitments.length > 0 ? nextFrom : null;
    }
  }

  /** Returns the leaves of one whole page, 32 bytes each. A page that is not full is the last one. */
  async leafPage(pool: Address, from: number): Promise<Uint8Array> {
    const path = `/tree/commitments?pool=${pool.toString()}&from=${from}&limit=${MAX_PAGE_SIZE}`;
    const response = await this.#transport.requestBytes(path);
    return response.bytes
      ? assertFieldBytes(response.bytes, MAX_PAGE_SIZE)
      : toBytes(assertContiguous(response.parse(commitmentsPageSchema), from).commitments);
  }

  /** Returns the nullifier hashes of one whole page of withdrawals, 32 bytes each, in the order of the pool's log. */
  async spentPage(pool: Address, from: number): Promise<Uint8Array> {
    const path = `/spent?pool=${pool.toString()}&from=${from}&limit=${MAX_PAGE_SIZE}`;
    const response = await this.#transport.requestBytes(path);
    return response.bytes
      ? assertFieldBytes(response.bytes, MAX_PAGE_SIZE)
      : toBytes(response.parse(spentPageSchema).nullifierHashes);
  }

  /** Returns the waiting deposits. `end` is beyond every leaf, so that all clients send the same request. */
  async pendingDeposits(
    pool: Address,
    end: number,
  ): Promise<{ readonly leafIndex: number; readonly commitment: bigint }[]> {
    const path = `/tree/commitments?pool=${pool.toString()}&from=${end}&limit=1`;
    const { pending = [] } = await this.#transport.request(commitmentsPageSchema, path);
    return pending;
  }

  /**
   * Submits a withdrawal. If a retry reports the note as in use, the first attempt was accepted. `waiting`: not sent
   * yet, poll {@linkcode withdrawalStatus}. The error `nullifier_already_used` has the status of that withdrawal in
   * `members.withdrawal`. After `relayer_unavailable` the relayer may still carry out the withdrawal.
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
    return await this.#transport.retry("/withdraw", async (send, mayHaveTakenEffect) => {
      try {
        const response = await send(body);
        if (response.status === 202) return { state: "waiting" };
        return { state: "sent", ...response.parse(withdrawResponseSchema) };
      } catch (error) {
        const isInUse = error instanceof AttemptError && error.problem.code === "nullifier_already_used";
        if (mayHaveTakenEffect && isInUse) return { state: "waiting" };
        throw error;
      }
    });
  }

  withdrawalStatus(pool: Address, nullifierHash: bigint): Promise<WithdrawalStatus> {
    return this.#transport.request(withdrawalStatusSchema, "/withdraw/status", {
      pool: pool.toString(),
      nullifierHash: fieldToHex(nullifierHash),
    });
  }
}

interface LeafPage {
  readonly commitments: bigint[];
  readonly nextFrom: number | null; // null: this is the last page
}

/** Parses leaves of 32 bytes. A page of fewer than `limit` leaves is the last one. */
function parseLeafBytes(bytes: Uint8Array, from: number, limit: number): LeafPage {
  assertFieldBytes(bytes, limit);
  const count = bytes.length / FIELD_BYTES;
  const commitments = Array.from(
    { length: count },
    (_, i) => bytesToBigint(bytes.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES)),
  );
  return { commitments, nextFrom: count === limit ? from + count : null };
}

function assertFieldBytes(bytes: Uint8Array, limit: number): Uint8Array {
  const count = bytes.length / FIELD_BYTES;
  if (!Number.isInteger(count) || count > limit) {
    throw new Problem("relayer_unavailable", "the relayer's page of commitments has a wrong length");
  }
  try {
    assertCanonicalElements(bytes);
  } catch (cause) {
    const detail = "the relayer's page has a commitment that is not below r";
    throw new Problem("relayer_unavailable", detail, { cause });
  }
  return bytes;
}

function toBytes(values: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(values.length * FIELD_BYTES);
  for (const [i, value] of values.entries()) writeFieldBytes(value, bytes, i * FIELD_BYTES);
  return bytes;
}

function assertContiguous(page: CommitmentsPage, from: number): LeafPage {
  const { count, commitments, nextFrom } = page;
  if (count !== commitments.length || commitments.some((row, i) => row.leafIndex !== from + i)) {
    throw new Problem("relayer_unavailable", "the relayer's page of commitments has gaps");
  }
  if (nextFrom !== null && nextFrom !== from + count) {
    throw new Problem("relayer_unavailable", "the relayer's pages of commitments are not contiguous");
  }
  return { commitments: commitments.map((row) => row.commitment), nextFrom };
}

function floorOf(
  { asset, denomination, feeMin }: RelayerPools["pools"][string],
  { feeBps, feeMinNanoNative }: RelayerStatus,
): bigint {
  return policyFloor({
    denomination,
    feeBps,
    feeMin: feeMin ?? (asset === "native" ? feeMinNanoNative : 0n),
  });
}
