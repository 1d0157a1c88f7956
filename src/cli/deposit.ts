/** `tonado deposit`: a note, kept before anything is sent, and its deposit by a wallet here or on a phone. */
import type { Address } from "@ton/core";
import { Command } from "commander";
import { depositNative } from "../client/deposit.ts";
import { type DepositResult, type DepositStep, findDeposit } from "../client/deposit_attempts.ts";
import { depositJetton } from "../client/deposit_jetton.ts";
import { depositByLink, type LinkStep } from "../client/deposit_link.ts";
import type { PoolJetton } from "../client/note_pool.ts";
import { newRecord, type NoteRecord, type NoteStore } from "../client/note_store.ts";
import { RelayerClient } from "../client/relayer_client.ts";
import { fromRelayer } from "../client/tree_sync.ts";
import { findRegistry, registryName } from "../config/registry.ts";
import { loadEndpoint } from "../config/tool_config.ts";
import { type Deployment, type Deployments, poolKey } from "../core/deployments.ts";
import { Problem } from "../core/errors.ts";
import { createNote, formatNote } from "../core/note.ts";
import { formatAmount } from "../core/units.ts";
import type { Chain } from "../ton/chain.ts";
import { Pool } from "../ton/pool.ts";
import { isDeploymentOfBuild } from "../ton/pool_state.ts";
import type { Wallet } from "../ton/wallet.ts";
import {
  addChainOptions,
  addressArgument,
  type ChainOptions,
  flagsOf,
  native,
  poolAddress,
  relayerArgument,
  sameFlags,
} from "./chain_options.ts";
import { DepositTalk, isSpent } from "./deposit_talk.ts";
import { misuse } from "./misuse.ts";
import { poolsOf, unknownKey } from "./note_pools.ts";
import { addNotesOption, type NoteOptions, openNotes } from "./note_access.ts";
import { type BeforeNote, noteOn, notesOf, onNetwork, onNetworkOf } from "./note_network.ts";
import { addPayerOptions, mustAgree, openPayer, type PayerOptions } from "./payer.ts";
import type { Wiring } from "./wiring.ts";

/** Flags of the command. */
export type DepositOptions = ChainOptions & NoteOptions & PayerOptions & {
  readonly note?: string;
  readonly resume?: boolean;
  readonly from?: Address;
  readonly qr?: string;
  readonly wait: string;
  readonly relayer?: string;
  readonly yes?: boolean;
};

/** Milliseconds between looks at the chain; a localnet closes blocks faster. */
const POLL_MS = { mainnet: 2000, testnet: 2000, localnet: 200 } as const;
/** Nano that a wallet needs beside the denomination. */
const GAS = 200_000_000n;

/** The command. */
export function depositCommand(wiring: Wiring): Command {
  const command = new Command("deposit")
    .description("put a note into a pool, paid by a phone's wallet or by one whose words are here")
    .argument("[pool]", "key of the registry, like native-10; not with --note or --resume")
    .option("--note <id>", "deposit into a stored note, or resume its deposit")
    .option("--resume", "resume an interrupted deposit")
    .option("--from <address>", "with a phone: the address that holds the jettons", addressArgument)
    .option("--qr <file>", "with a phone: write the QR code into a new SVG file, too")
    .option("--wait <minutes>", "with a phone: how long to wait", "30")
    .option(
      "--relayer <url>",
      "take the leaves from a relayer: quicker, and checked against the chain",
      relayerArgument,
    )
    .option("--yes", "do not ask before money moves");
  const networkOf = "the note's network, or testnet for a new note";
  return addChainOptions(addNotesOption(addPayerOptions(command)), { networkOf })
    .addHelpText(
      "after",
      "\nWithout a mnemonic a link and a QR code are shown, for any TON wallet to pay. The note is written, encrypted,\n" +
        "before anything is sent. A deposit that another one overtook is proved and shown or sent again.\n\n" +
        "Examples:\n  tonado deposit native-10\n" +
        "  tonado deposit native-10 --network mainnet --mnemonic-file wallet.txt\n" +
        "  tonado deposit --resume",
    )
    .action((pool: string | undefined, options: BeforeNote<DepositOptions>) =>
      deposit(wiring, pool, options)
    );
}

async function deposit(
  wiring: Wiring,
  key: string | undefined,
  given: BeforeNote<DepositOptions>,
): Promise<void> {
  const minutes = Number(given.wait);
  if (!(minutes > 0)) throw misuse("--wait", "must be a number of minutes");
  const hasNote = given.note !== undefined || given.resume === true;
  if (key !== undefined && hasNote) throw misuse("pool", "must be omitted: the note determines it");
  const opened = hasNote ? await openNotes(wiring, given) : undefined;
  using _opened = await opened?.work();
  const old = opened && choose(await opened.list(), given);
  const options = old
    ? onNetworkOf<DepositOptions>(given, old)
    : onNetwork<DepositOptions>(given, given.network ?? "testnet");
  const { network } = options;
  const { url, apiKey } = loadEndpoint(options, wiring.env);
  const known = await findRegistry(network, options.registry);
  if (key === undefined && !old) throw noneNamed(known);
  const chain = wiring.connect(options.network, { url, apiKey });
  const wallet = await openPayer(wiring, options, chain);
  const store = opened ?? await openNotes(wiring, options, { create: true });
  using _created = opened ? undefined : await store.work();
  using qr = options.qr === undefined ? undefined : wiring.ownFile("--qr", options.qr);
  qr?.check(); // after the store is opened, which may be the file that it names
  const record = old ?? newNote(wiring, key!, known); // a pool is named where no note is
  const deployment = deploymentOf(record, known);
  const talk = new DepositTalk(wiring, options, record.id, { qr, resumed: record.state === "depositing" });
  const pool = new Pool(chain, deployment.address);
  if (record.deposit?.leafIndex !== undefined) {
    await findDeposit(chain, pool, record.note.reveal()).catch((error) =>
      rememberSpent(store, record, error)
    );
    return talk.already(record.deposit.leafIndex);
  }
  assertServed(deployment, record);
  await assertGenuine(chain, deployment, options);
  await confirm(wiring, options, deployment, wallet, talk);
  const from = wallet?.address ?? options.from;
  const deposit = from ? { from: from.toRawString() } : {};
  const kept: Partial<NoteRecord> = { state: "depositing", pool: deployment.address.toRawString(), deposit };
  // Before anything is sent: from then on the note is the money.
  await store.add([record]);
  await store.update(record.id, kept);
  talk.kept(key !== undefined);

  const abort = new AbortController();
  wiring.stopped().then(() => abort.abort());
  const prover = await wiring.createProver();
  try {
    const request = {
      ...{ chain, pool, network, note: record.note.reveal(), prover, pollMs: POLL_MS[network] },
      treePatienceMs: wiring.treePatienceMs,
      ...options.relayer && { source: fromRelayer(new RelayerClient(options.relayer), pool.address) },
      onStep: (step: DepositStep | LinkStep) => talk.step(step),
    };
    const jetton = jettonOf(deployment);
    const how = { signal: abort.signal, onProgress: talk.proving };
    const result: DepositResult = wallet
      ? jetton
        ? await depositJetton({ ...request, wallet, jetton }, how)
        : await depositNative({ ...request, wallet }, how)
      : await depositByLink(
        { ...request, jetton, owner: options.from, patienceMs: minutes * 60_000, now: wiring.now },
        how,
      );
    const { leafIndex, timestamp, depositor } = result;
    const done = { from: depositor.toRawString(), leafIndex, timestamp };
    await store.update(record.id, { state: "deposited", deposit: done });
    talk.done(result);
  } catch (error) {
    talk.interrupted(error);
    return await rememberSpent(store, record, error);
  } finally {
    prover.close();
  }
}

/** A note that is found withdrawn is kept as such. Throws what was thrown. */
async function rememberSpent(store: NoteStore, { id }: NoteRecord, error: unknown): Promise<never> {
  if (isSpent(error)) await store.update(id, { state: "withdrawn" });
  throw error;
}

/** The note that `--note` names, or the one whose deposit was cut off. */
function choose(
  records: readonly NoteRecord[],
  { note, network }: Pick<BeforeNote<DepositOptions>, "note" | "network">,
): NoteRecord {
  if (note !== undefined) return noteOn(records, note, network);
  const open = notesOf(records, network).filter(({ state }) => state === "depositing");
  if (open.length === 1) return open[0];
  const ids = open.map(({ id }) => id).join(", ");
  throw open.length === 0
    ? new Problem("unknown_note", `no deposit${network ? ` on ${network}` : ""} was cut off`, {
      todo: `Begin one: ${["tonado deposit <pool>", flagsOf({ network })].filter(Boolean).join(" ")}`,
    })
    : new Problem("unknown_note", "several deposits were cut off", {
      todo: `Say which by --note: ${ids}`,
    });
}

/** A note for the pool that `key` names. */
function newNote(wiring: Wiring, key: string, { network, pools }: Deployments): NoteRecord {
  const pool = pools.get(key);
  if (!pool) throw unknownKey(key, pools.keys());
  const { asset, amount, address } = pool;
  const text = formatNote(createNote({ asset, amount, network }));
  return { ...newRecord(text, wiring.now()), pool: address.toRawString() };
}

function noneNamed({ network, pools }: Deployments): Problem {
  if (pools.size > 0) return misuse("pool", `is required, one of ${[...pools.keys()].join(", ")}`);
  return misuse(
    "pool",
    `is required, and the registry has none on ${network}: name another --network, or a --registry that has`,
  );
}

/** The pool of a note. @throws {Problem} `wrong_pool` when the registry has none, or nothing says which of several */
export function deploymentOf(record: NoteRecord, known: Deployments): Deployment {
  const [[, pool], ...others] = poolsOf(record, known);
  if (others.length > 0) {
    const keys = poolsOf(record, known).map(([key]) => key).join(" or ");
    throw new Problem("wrong_pool", `the note may be of ${keys}`, {
      todo: `\`tonado note check ${record.id} --network ${known.network}\` finds out, and remembers it.`,
    });
  }
  return pool;
}

/** What the client asks of a jetton pool; undefined for a native one. */
export function jettonOf({ asset, decimals, jettonMaster }: Deployment): PoolJetton | undefined {
  return jettonMaster && { asset, decimals: decimals!, jettonMaster };
}

/**
 * A deposit that is under way may already have been paid, so that it goes on.
 *
 * @throws {Problem} `pool_retired`: relayers of this registry would not withdraw what is deposited now
 */
function assertServed({ retired }: Deployment, { state }: NoteRecord): void {
  if (!retired || state === "depositing") return;
  throw new Problem("pool_retired", "the registry says that the pool is retired", {
    todo: "Choose a pool that `tonado pool list` does not call retired: its successor, if there is one.",
  });
}

/**
 * Money goes only to a pool that began empty with this build's code, whatever a registry says: the code alone does not
 * tell whose roots a pool was born with.
 *
 * @throws {Problem} `wrong_pool`
 */
async function assertGenuine(
  chain: Chain,
  deployment: Deployment,
  { network, endpoint, registry }: ChainOptions,
): Promise<void> {
  const { codeHash } = deployment;
  const address = poolAddress(deployment.address, network);
  const { code } = await chain.account(deployment.address);
  const genuine = isDeploymentOfBuild(deployment) && code?.hash().toString("hex") === codeHash;
  if (genuine) return;
  throw new Problem("wrong_pool", `what the registry names at ${address} is no pool of this release`, {
    todo: `Do not deposit: \`tonado pool inspect ${address} ${
      sameFlags({ network, endpoint, registry })
    }\` says what it is.`,
  });
}

async function confirm(
  wiring: Wiring,
  options: DepositOptions,
  deployment: Deployment,
  wallet: Wallet | undefined,
  talk: DepositTalk,
): Promise<void> {
  const { network } = options;
  const takes = formatAmount(deployment.denomination, deployment);
  const facts = {
    key: poolKey(deployment),
    address: poolAddress(deployment.address, network),
    registry: registryName(network, options.registry),
  };
  if (!wallet) {
    if (deployment.asset === "native" || options.from) return talk.pool({ ...facts, takes });
    throw misuse("--from", `is required: the address that holds the ${deployment.asset}`);
  }
  const balance = await wallet.balance();
  if (deployment.asset === "native" && balance < deployment.denomination + GAS) {
    throw new Problem(
      "insufficient_funds",
      `${wallet.format()} holds ${native(balance)}, the deposit takes ${takes} and fees`,
    );
  }
  const where = `${facts.key} on ${network}, ${facts.address} by ${facts.registry}`;
  await mustAgree(wiring, options, `Send ${takes} from ${wallet.format()} into ${where}?`);
}
