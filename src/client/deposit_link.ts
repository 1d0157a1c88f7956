/**
 * A deposit that a phone's wallet pays: what it has to send is put into a link, and the pool is followed until it has the
 * commitment. No key of a wallet is ever here. When another deposit takes the leaf the link is worth nothing any more, and
 * what it still sends comes back; a new one is made then.
 */
import type { Address, Cell } from "@ton/core";
import { exitCodeName, Problem } from "../core/errors.ts";
import { MerkleTree } from "../core/merkle_tree.ts";
import type { ProveOptions } from "../prover/prover.ts";
import { jettonWalletAddress } from "../ton/jetton.ts";
import { scanPoolTransactions } from "../ton/scan.ts";
import type { OutgoingMessage } from "../ton/wallet.ts";
import { depositFacts, type DepositRequest, type DepositResult, findDeposit } from "./deposit_attempts.ts";
import { checkedPoolWallet } from "./deposit_jetton.ts";
import { assertNoteFits, type PoolJetton } from "./note_pool.ts";
import { pause } from "./pause.ts";
import { fromChain, syncTree } from "./tree_sync.ts";

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
 * Steps as they are reached. `stale` means that the last link is worth nothing any more; `refused` that the pool gave
 * something back that carried this commitment, by whomever.
 */
export type LinkStep =
  | { readonly step: "syncing" | "proving" | "stale" }
  | { readonly step: "link"; readonly link: DepositLink }
  | { readonly step: "refused"; readonly reason: string };

/**
 * Makes links until one of them was paid.
 *
 * @throws {Problem} `wrong_pool`, `deposit_lost` when nothing came in time, `nullifier_already_used` for a note that was withdrawn,
 *   `unknown_root`, `cancelled`
 */
export async function depositByLink(
  request: LinkDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { chain, pool, note, prover, onStep = () => {}, pollMs = 2_000 } = request;
  const { now = Date.now, patienceMs = 1_800_000 } = request;
  const { signal } = options;
  const message = await messageOf(request);
  const source = request.source ?? fromChain(chain, pool.address);
  const tree = request.tree ?? new MerkleTree();
  const end = now() + patienceMs;

  for (let attempts = 1;; attempts++) {
    onStep({ step: "syncing" });
    let cursor = (await chain.account(pool.address, { signal })).last;
    await syncTree(pool, source, tree);
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

    for (let stale = false; !stale;) {
      for await (const batch of scanPoolTransactions(chain, pool.address, { after: cursor, signal })) {
        for (const event of batch.events) {
          if (event.kind === "withdrawal") continue;
          if (event.kind === "refused") {
            if (event.commitment === commitment) {
              onStep({ step: "refused", reason: reasonOf(event.exitCode) });
            }
          } else if (event.commitment === commitment) {
            return { ...depositFacts(event), attempts };
          } else if (event.leafIndex >= leafIndex) stale = true;
        }
        cursor = batch.cursor;
      }
      if (stale) break;
      if (now() > end) {
        throw new Problem("deposit_lost", "nothing came in time; what still comes is not lost");
      }
      await pause(pollMs, signal);
    }
    onStep({ step: "stale" });
  }
}

/**
 * A transfer as a link that TON wallets open.
 *
 * @param amount nano
 */
export function transferLink(to: Address, amount: bigint, body: Cell, testOnly: boolean): string {
  const bin = body.toBoc().toString("base64url");
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
