/**
 * How a jetton pool comes by its wallet: it asks the master once (TEP-89) and never again, so the master is asked by us
 * first, before a pool is paid for, and its answer is held against `get_wallet_address`.
 */
import { type Address, beginCell, type Message } from "@ton/core";
import { Problem, type ProblemDetail } from "../core/errors.ts";
import { shownAddress } from "../core/shown_address.ts";
import { opCodes, storeDiscoverJettonWallet } from "../core/messages.ts";
import type { Chain } from "../ton/chain.ts";
import { messagesSince } from "../ton/inbox.ts";
import { jettonMetadata, jettonWalletAddress } from "../ton/jetton.ts";
import { Pool } from "../ton/pool.ts";
import type { OutgoingMessage, Wallet } from "../ton/wallet.ts";
import type { PoolJetton } from "./pool_plan.ts";
import { type Waiting, waitUntil } from "./waiting.ts";

/** A jetton pool, as far as its wallet is concerned. */
export interface JettonPool {
  readonly address: Address;
  readonly jetton: PoolJetton;
}

/** Nano that a question to the master carries: to the prober most of it returns, in a pool the rest stays. */
export const QUESTION_VALUE = 100_000_000n;

/** What speaks against a jetton, as far as its getters tell; nothing is sent. */
export async function jettonFaults(
  chain: Chain,
  { address, jetton: { master, decimals } }: JettonPool,
): Promise<ProblemDetail[]> {
  const refused = (
    detail: string,
  ) => [{ pointer: "asset", detail: `${shownAddress(master, chain.network)} ${detail}` }];
  try {
    const own = await jettonMetadata(chain, master);
    if (own.decimals !== undefined && own.decimals !== decimals) {
      return refused(`has ${own.decimals} decimals by its own metadata, not ${decimals}`);
    }
    const wallet = await jettonWalletAddress(chain, master, address);
    return wallet.equals(address) ? refused("gives the pool itself as its wallet") : [];
  } catch (error) {
    if (!(error instanceof Problem) || !["contract_refused", "chain_inconsistent"].includes(error.code)) {
      throw error;
    }
    return refused(`is no jetton master: ${error.message}`);
  }
}

/**
 * Asks each pool's master for the pool's wallet, as the pool itself will.
 *
 * @throws {Problem} `deployment_refused` when one does not answer, or not as its getter does
 */
export async function probeMasters(
  pools: readonly JettonPool[],
  wallet: Wallet,
  options: Waiting & { readonly chain: Chain },
): Promise<void> {
  const { chain } = options;
  const before = (await chain.account(wallet.address, options)).last;
  await wallet.send(pools.map(({ address, jetton }, i): OutgoingMessage => ({
    to: jetton.master,
    value: QUESTION_VALUE,
    bounce: true,
    body: beginCell().storeUint(opCodes.provide_wallet_address, 32).storeUint(i, 64)
      .storeAddress(address).storeBit(false).endCell(),
  })));
  const answers: Answer[] = pools.map(() => undefined);
  await waitUntil(async () => {
    for (const message of await messagesSince(chain, wallet.address, before)) {
      for (const [i, pool] of pools.entries()) answers[i] ??= answerOf(message, pool, BigInt(i));
    }
    return answers.every((answer) => answer !== undefined);
  }, options);
  const errors = [];
  for (const [i, { address, jetton: { master } }] of pools.entries()) {
    const answer = answers[i];
    if (answer === undefined || answer === "bounced") {
      const how = answer === "bounced" ? "refuses" : "does not answer";
      const detail = `${
        shownAddress(master, chain.network)
      } ${how} provide_wallet_address: a pool needs a jetton with TEP-89`;
      errors.push({ pointer: "asset", detail });
    } else if (!answer.equals(await jettonWalletAddress(chain, master, address))) {
      const detail = `${
        shownAddress(master, chain.network)
      } answers provide_wallet_address with another wallet than get_wallet_address`;
      errors.push({ pointer: "asset", detail });
    }
  }
  if (errors.length > 0) {
    throw new Problem("deployment_refused", `the jetton is refused: ${errors[0].detail}`, { errors });
  }
}

/** Makes a pool ask its master; anyone may send it. */
export function discoverMessage({ address }: JettonPool): OutgoingMessage {
  return { to: address, value: QUESTION_VALUE, bounce: true, body: storeDiscoverJettonWallet() };
}

/**
 * Waits until a pool knows its wallet and compares it with the master's getter.
 *
 * @returns the wallet
 * @throws {Problem} `chain_unavailable` when it does not learn it in time, `chain_inconsistent` when it is another one
 */
export async function discoveredWallet(
  { address, jetton: { master } }: JettonPool,
  options: Waiting & { readonly chain: Chain },
): Promise<Address> {
  const { chain } = options;
  let found: Address | null = null;
  const known = await waitUntil(async () => {
    found = (await new Pool(chain, address).getPoolInfo(options)).jettonWallet;
    return found !== null;
  }, options);
  if (!known || !found) {
    throw new Problem(
      "chain_unavailable",
      `pool ${
        shownAddress(address, chain.network)
      } does not learn its jetton wallet; run it again to ask once more`,
    );
  }
  const expected = await jettonWalletAddress(chain, master, address, options);
  if (!expected.equals(found)) {
    const [pool, taken, said] = [address, found, expected].map((each) => shownAddress(each, chain.network));
    throw new Problem(
      "chain_inconsistent",
      `pool ${pool} took ${taken} for its jetton wallet, get_wallet_address says ${said}: never deposit there`,
    );
  }
  return found;
}

type Answer = Address | "bounced" | undefined;

function answerOf({ info, body }: Message, { jetton: { master } }: JettonPool, queryId: bigint): Answer {
  if (info.type !== "internal" || !info.src.equals(master)) return undefined;
  const slice = body.beginParse();
  try {
    if (info.bounced) {
      slice.skip(32); // and the first 256 bits of what bounced
      const ours = slice.loadUint(32) === opCodes.provide_wallet_address &&
        slice.loadUintBig(64) === queryId;
      return ours ? "bounced" : undefined;
    }
    if (slice.loadUint(32) !== opCodes.take_wallet_address || slice.loadUintBig(64) !== queryId) {
      return undefined;
    }
    return slice.loadMaybeAddress() ?? "bounced";
  } catch {
    return undefined; // some other message
  }
}
