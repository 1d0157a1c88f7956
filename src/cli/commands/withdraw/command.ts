import { Command } from "commander";
import { findNote, type NoteRecord } from "../../../client/notes/note_store.ts";
import { loadEndpoint } from "../../../config/settings/settings_reader.ts";
import type { NotePayment } from "../../../client/notes/note_payment.ts";
import { placeStoredNote } from "../../../client/withdrawal/stored/stored_withdrawal.ts";
import { Problem } from "../../../core/errors/problem.ts";
import type { Network } from "../../../core/protocol/network.ts";
import { redactUrl } from "../../../core/text/urls.ts";
import { openPool } from "../../../ton/pool/any_pool.ts";
import { type CliContext, shutdownSignal, withProver } from "../../context.ts";
import {
  addChainOptions,
  collectRelayerArguments,
  formatChainFlags,
  formatFlags,
  openChain,
  parseAddressArgument,
  parseAmountArgument,
} from "../../options/chain_options.ts";
import {
  filterNotesByNetwork,
  findNoteOnNetwork,
  withNetworkOfNote,
  type WithOptionalNetwork,
} from "../../options/note_network.ts";
import { toPoolJetton } from "../../../client/notes/pool_match.ts";
import { resolveDeployment } from "../../options/note_pools.ts";
import { addNoteStorePathOption, openNoteStore } from "../../options/note_store_options.ts";
import { addPayerOptions } from "../../options/payer_options.ts";
import { WithdrawView } from "../../output/withdraw_view.ts";
import { submitDirectly } from "./direct.ts";
import { unrecoverableAddresses } from "../../../client/withdrawal/recipient_check.ts";
import { resolveRecipient } from "./recipient_checks.ts";
import { resumeInterrupted, submitThroughRelayer } from "./relayed.ts";
import type { WithdrawOptions } from "../../options/withdraw_options.ts";
import { showPayment, type WithdrawalRun } from "./run.ts";

export function withdrawCommand(context: CliContext): Command {
  const command = new Command("withdraw")
    .description("withdraw a note to a fresh address, through the cheapest of the relayers")
    .argument("[note]", "first digits of its id; default: the only interrupted withdrawal")
    .option("--to <address>", "recipient: a new, unused address", parseAddressArgument)
    .option(
      "--relayer <url>",
      "a relayer URL; repeat the flag to compare the fees of several",
      collectRelayerArguments,
    )
    .option(
      "--refund <amount>",
      "GRAM that the relayer adds, so that the recipient can pay gas to move jettons",
      parseAmountArgument,
      "0",
    )
    .option(
      "--max-fee <amount>",
      "skip relayers with a higher fee; default with --yes: a tenth of the note",
      parseAmountArgument,
    )
    .option("--fast", "ask the relayer for the Merkle path: it learns which deposit is yours")
    .option(
      "--no-recipient-check",
      "do not ask the endpoint whether the recipient is used or a contract, which would reveal the address to it",
    )
    .option("--self", "pay the gas with your own wallet, which everyone can then connect with the withdrawal")
    .option("--restart", "start again; the interrupted withdrawal may still pay its recipient")
    .option("--yes", "do not ask for confirmation before money is sent");
  return addChainOptions(addNoteStorePathOption(addPayerOptions(command)), { networkOf: "the note's" })
    .addHelpText(
      "after",
      "\nThe Merkle tree is rebuilt locally and its root compared with the pool's. No relayer learns which deposit\n" +
        "is yours or can give a false tree. Withdrawals are stored: after an interruption, run the command again.\n\n" +
        "Examples:\n" +
        "  tonado withdraw 2f81 --to UQ... --relayer https://one.example --relayer https://two.example\n" +
        "  tonado withdraw",
    )
    .action((id: string | undefined, options: WithOptionalNetwork<WithdrawOptions>) =>
      withdraw(context, id, options)
    );
}

async function withdraw(
  context: CliContext,
  id: string | undefined,
  rawOptions: WithOptionalNetwork<WithdrawOptions>,
): Promise<void> {
  assertSelfWithoutRelayerFlags(rawOptions);
  const store = await openNoteStore(context, rawOptions);
  using _storeLock = await store.lockForWork();
  const record = selectNoteToWithdraw(await store.list(), id, rawOptions.network);
  const options = withNetworkOfNote<WithdrawOptions>(rawOptions, record);
  const { chain, registry } = await openChain(context, options);
  if (record.state === "withdrawn") {
    throw new Problem("nullifier_already_used", `note ${record.id} is already withdrawn`, {
      hint: `A note can be withdrawn only once. Run \`tonado note check ${record.id} ${
        formatChainFlags(options)
      }\` to see its state.`,
    });
  }
  const deployment = resolveDeployment(record, registry);
  const unrecoverable = unrecoverableAddresses(registry);
  const { asset } = deployment;
  const recipient = resolveRecipient(record, options, { asset, blocked: unrecoverable });
  const pool = openPool(chain, deployment.address, deployment.version);
  const signal = shutdownSignal(context);
  const interrupted = record.state === "withdrawing" ? record.withdrawal : undefined;
  const note = await placeStoredNote(pool, record.note.reveal(), interrupted, { signal });
  const view = new WithdrawView(context, options, record, deployment);
  const run: Omit<WithdrawalRun, "since" | "chainTime"> = {
    id: record.id,
    clock: context,
    context,
    options,
    chain,
    deployment,
    store,
    record,
    note,
    pool,
    recipient,
    unrecoverable,
    view,
    signal,
    endpointLabel: redactUrl(loadEndpoint(options, context.env).url),
    jetton: toPoolJetton(deployment),
  };
  try {
    const { last: since, syncUtime: chainTime } = await chain.account(deployment.address, { signal });
    const started = { ...run, since, chainTime };
    showPayment(started, await resumeInterrupted(started) ?? await proveAndSubmit(started));
  } catch (error) {
    view.showNextSteps(error, findNote(await store.list(), record.id), recipient);
    throw error;
  }
}

function assertSelfWithoutRelayerFlags(
  { self, relayer, fast, maxFee }: WithOptionalNetwork<WithdrawOptions>,
): void {
  const contradicts = Object.entries({ "--relayer": relayer, "--fast": fast, "--max-fee": maxFee })
    .filter(([, value]) => self && value !== undefined)
    .map(([pointer]) => ({ pointer, detail: "contradicts --self, which uses no relayer" }));
  if (contradicts.length === 0) return;
  throw new Problem("invalid_config", undefined, {
    errors: contradicts,
    hint: "Omit --self to stay private, or omit the relayer flags to withdraw in public.",
  });
}

function selectNoteToWithdraw(
  all: readonly NoteRecord[],
  id: string | undefined,
  network?: Network,
): NoteRecord {
  if (id !== undefined) return findNoteOnNetwork(all, id, network);
  const records = filterNotesByNetwork(all, network);
  const interrupted = records.filter(({ state }) => state === "withdrawing");
  if (interrupted.length === 1) return interrupted[0];
  const ids = (interrupted.length > 0 ? interrupted : records.filter(({ state }) => state === "deposited"))
    .map(({ id }) => id);
  throw ids.length > 0
    ? new Problem("unknown_note", "several notes match", { hint: `Name one of them: ${ids.join(", ")}` })
    : new Problem("unknown_note", `no note${network ? ` of ${network}` : ""} is recorded as deposited`, {
      hint:
        `\`${
          ["tonado note check", formatFlags({ network })].filter(Boolean).join(" ")
        }\` checks the chain for deposits; ` +
        "`tonado deposit <pool>` makes a new one.",
    });
}

async function proveAndSubmit(run: WithdrawalRun): Promise<NotePayment> {
  const submit = run.options.self ? submitDirectly : submitThroughRelayer;
  return await withProver(run.context, (prover) => submit(run, prover));
}
