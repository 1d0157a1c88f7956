/**
 * A deposit that a phone's wallet pays. The payment is put into a link, and the pool is followed until it has the
 * commitment; no key of a wallet is involved. When another deposit takes the link's leaf, the pool sends a payment of that
 * link back, and a new link is made.
 */
import type { Address, Cell } from "@ton/core";
import { exitCodeName, exitCodes, Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { ProveOptions } from "../prover/prover.ts";
import type { TransactionId } from "../ton/chain.ts";
import { jettonWalletAddress } from "../ton/jetton.ts";
import type { DepositEvent } from "../ton/pool_event.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { OutgoingMessage } from "../ton/wallet.ts";
import { depositFacts, type DepositRequest, type DepositResult, findDeposit } from "./deposit_attempts.ts";
import { checkedPoolWallet } from "./deposit_jetton.ts";
import { assertNoteFits, type PoolJetton } from "./note_pool.ts";
import { pause } from "./pause.ts";
import { fromChain, syncWholeTree } from "./tree_sync.ts";

/** What such a deposit is made of. */
export interface LinkDepositRequest extends Omit<DepositRequest, "wallet" | "attempts" | "onStep"> {
  /** Of a jetton pool: which one it must be of. */
  readonly jetton?: PoolJetton;
  /** Whose jettons they are; needed for jettons only. */
  readonly owner?: Address;
  /** Milliseconds until it is given up; default half an hour. */
  readonly patienceMs?: number;
  /** Unix milliseconds; default: the platform's. */
  readonly now?: () => number;
  readonly onStep?: (step: LinkStep) => void;
}

/** What a wallet has to send. */
export interface DepositLink {
  /** `ton://transfer/...`, which wallets open; the same as a QR code. */
  readonly url: string;
  readonly to: Address;
  /** Nano. */
  readonly amount: bigint;
  readonly leafIndex: number;
}

/**
 * Steps as they are reached. `stale`: the last link can no longer be paid, and a new one follows. `refused`: the pool sent
 * back a payment that carries this commitment, from any sender.
 */
export type LinkStep =
  | { readonly step: "syncing" | "proving" | "stale" }
  | { readonly step: "link"; readonly link: DepositLink }
  | { readonly step: "refused"; readonly reason: string };

/**
 * Makes links until one of them was paid.
 *
 * @throws {Problem} `wrong_pool`, `deposit_lost` when nothing came in time, `nullifier_already_used` for a note that was withdrawn,
 *   `tree_incomplete` when the source of the tree stays behind the chain, `unknown_root`, `cancelled`
 */
export async function depositByLink(
  request: LinkDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, prover, treePatienceMs, onStep = () => {} } = request;
  const { now = Date.now, patienceMs = 1_800_000 } = request;
  const { signal } = options;
  const message = await messageOf(request);
  const source = request.source ?? fromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();
  const end = now() + patienceMs;

  for (let attempts = 1;; attempts++) {
    onStep({ step: "syncing" });
    const cursor = (await chain.account(pool.address, { signal })).last;
    // In a tree that lacks a deposit the next free leaf would be one that is taken.
    await syncWholeTree(pool, source, tree, { treePatienceMs, signal });
    if (tree.indexOf(note.commitment) >= 0) {
      return { ...depositFacts(await findDeposit(chain, pool, note, signal)), attempts };
    }
    const leafIndex = tree.size;
    onStep({ step: "proving" });
    const { commitment } = note;
    const newRoot = tree.rootAfter(commitment);
    const { pathElements } = tree.zeroPath();
    const { proof } = await prover.proveDeposit(
      { prevRoot: tree.root, newRoot, commitment, leafIndex, pathElements },
      options,
    );
    const { to, value, body } = message({ commitment, newRoot, leafIndex, proof });
    const url = transferLink(to, value, body, note.network !== "mainnet");
    onStep({ step: "link", link: { url, to, amount: value, leafIndex } });
    const event = await followLink(request, { leafIndex, cursor, end }, signal);
    if (event !== "stale") return { ...depositFacts(event), attempts };
    onStep({ step: "stale" });
  }
}

/**
 * Follows the pool until the note is deposited or its link is worth nothing.
 *
 * @param link the leaf that it is for, the pool's last transaction before it was made, and when to give up
 */
async function followLink(
  { chain, pool, note, pollMs = 2_000, now = Date.now, onStep = () => {} }: LinkDepositRequest,
  link: { readonly leafIndex: number; readonly cursor: TransactionId | undefined; readonly end: number },
  signal: AbortSignal | undefined,
): Promise<DepositEvent | "stale"> {
  for (let { cursor } = link;;) {
    let stale = false;
    for await (const batch of scanPoolTransactions(chain, pool.address, { after: cursor, signal })) {
      for (const event of batch.events) {
        if (event.kind === "withdrawal") continue;
        const ours = event.commitment === note.commitment;
        if (event.kind === "deposit") {
          if (ours) return event;
          if (event.leafIndex >= link.leafIndex) stale = true;
        } else if (ours) {
          onStep({ step: "refused", reason: reasonOf(event.exitCode) });
          // The deposit that took the leaf may lie before the cursor, where the endpoint's nodes do not agree. An earlier
          // link that is paid late is refused as well, and says nothing about this one.
          if (event.exitCode === exitCodes.ERR_STALE_DEPOSIT && event.leafIndex === link.leafIndex) {
            stale = true;
          }
        }
      }
      cursor = batch.cursor;
    }
    if (stale) return "stale";
    if (now() > link.end) {
      throw new Problem("deposit_lost", "nothing came in time; what still comes is not lost");
    }
    await pause(pollMs, signal);
  }
}

/**
 * A transfer as a link that TON wallets open.
 *
 * @param amount nano
 */
export function transferLink(to: Address, amount: bigint, body: Cell, testOnly: boolean): string {
  // Browsers have npm's `buffer`, whose toString does not know "base64url".
  const bin = body.toBoc().toString("base64").replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `ton://transfer/${to.toString({ bounceable: true, testOnly })}?amount=${amount}&bin=${bin}`;
}

/** How the asset gets to the pool. */
async function messageOf(request: LinkDepositRequest) {
  const { chain, pool, note, network, jetton, owner } = request;
  const fitting = await assertNoteFits(pool, note, network, jetton);
  type Deposit = Parameters<typeof pool.depositMessage>[0];
  type Message = OutgoingMessage & { readonly body: Cell };
  if (note.asset === "native") {
    const value = fitting.denomination;
    return (deposit: Omit<Deposit, "value">): Message => pool.depositMessage({ ...deposit, value });
  }
  if (!owner) throw new Problem("invalid_address", "a deposit of jettons needs the address that holds them");
  await checkedPoolWallet({ chain, pool, jetton: jetton! }, fitting);
  const wallet = await jettonWalletAddress(chain, jetton!.jettonMaster, owner);
  const forward = await pool.getDepositValue();
  const way = { amount: fitting.denomination, owner, wallet, forward };
  return (deposit: Omit<Deposit, "value">): Message => pool.jettonDepositMessage({ ...deposit, ...way });
}

function reasonOf(exitCode: number | undefined): string {
  if (exitCode === undefined) return "too little value";
  return exitCodeName(exitCode) ?? `exit code ${exitCode}`;
}
