/** A pool asks its master only once (TEP-89), so the deployer asks first, before it pays. */
import { type Address, beginCell, type Message } from "@ton/core";
import { Problem, type ProblemDetail } from "../../core/errors/problem.ts";
import { formatAddress } from "../../core/text/address_format.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../core/protocol/messages/pool_messages.ts";
import type { Chain } from "../../ton/chain.ts";
import { incomingMessagesSince } from "../../ton/wallet/incoming_messages.ts";
import { confirmTransfer } from "../../ton/wallet/transfer_inclusion.ts";
import { fetchJettonMetadata, fetchJettonWalletAddress } from "../../ton/jetton/jetton.ts";
import { Pool } from "../../ton/pool/pool.ts";
import type { OutgoingMessage, Wallet } from "../../ton/wallet/wallet.ts";
import type { JettonSpec } from "./pool_plan.ts";
import { waitForChain, type WaitOptions } from "./options.ts";

export interface JettonPool {
  readonly address: Address;
  readonly jetton: JettonSpec;
}

/** The value of a request to the master. Most of it returns; in a pool the remainder stays. */
export const DISCOVERY_VALUE_NANO = 100_000_000n;

/** Returns what a jetton's getters show to be wrong. Sends nothing. */
export async function findJettonFaults(
  chain: Chain,
  { address, jetton: { master, decimals } }: JettonPool,
): Promise<ProblemDetail[]> {
  const addressText = formatAddress(master, chain.network);
  const fault = (detail: string) => [{ pointer: "asset", detail: `${addressText} ${detail}` }];
  try {
    const metadata = await fetchJettonMetadata(chain, master);
    if (metadata.decimals !== undefined && metadata.decimals !== decimals) {
      return fault(`has ${metadata.decimals} decimals according to its own metadata, not ${decimals}`);
    }
    const wallet = await fetchJettonWalletAddress(chain, master, address);
    return wallet.equals(address) ? fault("returns the pool itself as the pool's wallet") : [];
  } catch (error) {
    if (!(error instanceof Problem) || !["contract_refused", "chain_inconsistent"].includes(error.code)) {
      throw error;
    }
    return fault(`is not a jetton master: ${error.message}`);
  }
}

/**
 * Throws `deployment_refused` if a master does not reply, or its reply differs from its getter, and `chain_unavailable`
 * if the wallet does not accept the transfer.
 */
export async function probeJettonMasters(
  pools: readonly JettonPool[],
  wallet: Wallet,
  options: WaitOptions & { readonly chain: Chain },
): Promise<void> {
  const { chain } = options;
  const before = (await chain.account(wallet.address, options)).last;
  const transfer = await wallet.send(pools.map(({ address, jetton }, i): OutgoingMessage => ({
    to: jetton.master,
    value: DISCOVERY_VALUE_NANO,
    bounce: true,
    body: beginCell().storeUint(opCodes.provide_wallet_address, 32).storeUint(i, 64)
      .storeAddress(address).storeBit(false).endCell(),
  })));
  await confirmTransfer(chain, wallet, transfer, options);
  const replies: ProbeResult[] = pools.map(() => undefined);
  await waitForChain(async () => {
    for (const message of await incomingMessagesSince(chain, wallet.address, before)) {
      for (const [i, pool] of pools.entries()) replies[i] ??= parseProbeReply(message, pool, BigInt(i));
    }
    return replies.every((reply) => reply !== undefined);
  }, options);
  const errors: ProblemDetail[] = [];
  for (const [i, { address, jetton: { master } }] of pools.entries()) {
    const reply = replies[i];
    const addressText = formatAddress(master, chain.network);
    if (reply === undefined || reply === "bounced") {
      const outcome = reply === "bounced" ? "rejects" : "does not respond to";
      const detail = `${addressText} ${outcome} provide_wallet_address: a pool needs a jetton with TEP-89`;
      errors.push({ pointer: "asset", detail });
    } else if (!reply.equals(await fetchJettonWalletAddress(chain, master, address))) {
      const detail =
        `${addressText} responds to provide_wallet_address with another wallet than get_wallet_address`;
      errors.push({ pointer: "asset", detail });
    }
  }
  if (errors.length > 0) {
    throw new Problem("deployment_refused", `the jetton is refused: ${errors[0].detail}`, { errors });
  }
}

/** Anyone may send it. */
export function discoverWalletMessage({ address }: JettonPool): OutgoingMessage {
  return { to: address, value: DISCOVERY_VALUE_NANO, bounce: true, body: storeDiscoverJettonWallet() };
}

/** Throws `chain_unavailable` after the timeout, `chain_inconsistent` if it is not the master's wallet. */
export async function waitForJettonWallet(
  { address, jetton: { master } }: JettonPool,
  options: WaitOptions & { readonly chain: Chain },
): Promise<Address> {
  const { chain } = options;
  const pool = formatAddress(address, chain.network);
  let found: Address | null = null;
  const discovered = await waitForChain(async () => {
    found = (await new Pool(chain, address).getPoolInfo(options)).jettonWallet;
    return found !== null;
  }, options);
  if (!discovered || !found) {
    throw new Problem(
      "chain_unavailable",
      `pool ${pool} did not learn its jetton wallet in time; run the command again to repeat the request`,
    );
  }
  const expected = await fetchJettonWalletAddress(chain, master, address, options);
  if (!expected.equals(found)) {
    const [actual, wanted] = [found, expected].map((wallet) => formatAddress(wallet, chain.network));
    throw new Problem(
      "chain_inconsistent",
      `pool ${pool} uses jetton wallet ${actual}, but get_wallet_address says ${wanted}: never deposit there`,
    );
  }
  return found;
}

type ProbeResult = Address | "bounced" | undefined;

function parseProbeReply(
  { info, body }: Message,
  { jetton: { master } }: JettonPool,
  queryId: bigint,
): ProbeResult {
  if (info.type !== "internal" || !info.src.equals(master)) return undefined;
  const slice = body.beginParse();
  try {
    if (info.bounced) {
      slice.skip(32); // the first 256 bits of the bounced body follow
      const ours = slice.loadUint(32) === opCodes.provide_wallet_address &&
        slice.loadUintBig(64) === queryId;
      return ours ? "bounced" : undefined;
    }
    if (slice.loadUint(32) !== opCodes.take_wallet_address || slice.loadUintBig(64) !== queryId) {
      return undefined;
    }
    return slice.loadMaybeAddress() ?? "bounced";
  } catch {
    return undefined; // an unrelated message
  }
}
