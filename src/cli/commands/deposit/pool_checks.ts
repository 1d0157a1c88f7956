import { isPoolOfBuild } from "../../../client/deposit/checks/pool_checks.ts";
import type { NoteRecord } from "../../../client/notes/note_store.ts";
import { registryLabel } from "../../../config/deployments_registry.ts";
import { Problem } from "../../../core/errors/problem.ts";
import { type Deployment, poolKey } from "../../../core/protocol/deployments.ts";
import { formatAmount, formatNative } from "../../../core/protocol/units.ts";
import type { Chain } from "../../../ton/chain.ts";
import type { Wallet } from "../../../ton/wallet/wallet.ts";
import type { CliContext } from "../../context.ts";
import { type ChainOptions, formatChainFlags, formatPoolAddress } from "../../options/chain_options.ts";
import { requireConfirmation } from "../../options/payer_options.ts";
import { usageError } from "../../options/usage_error.ts";
import type { DepositView } from "../../output/payment/deposit_view.ts";

const GAS_RESERVE_NANO = 200_000_000n;

/** Throws `pool_retired`. A deposit in progress continues, because it may be paid already. */
export function assertNotRetired({ retired }: Deployment, stored?: Pick<NoteRecord, "state">): void {
  if (!retired || stored?.state === "depositing") return;
  throw new Problem(
    "pool_retired",
    "the registry lists this pool as retired, so relayers may not withdraw from it",
    {
      hint: "Choose a pool that `tonado pool list` does not mark as retired, such as its successor.",
    },
  );
}

/** Throws `wrong_pool` for a contract that is not a pool of this build. */
export async function assertPoolOfBuild(
  chain: Chain,
  deployment: Deployment,
  { network, endpoint, requestsPerSecond, registry }: ChainOptions,
): Promise<void> {
  if (await isPoolOfBuild(chain, deployment)) return;
  const address = formatPoolAddress(deployment.address, network);
  throw new Problem(
    "wrong_pool",
    `the contract at ${address} is not a pool of this release, although the registry lists it`,
    {
      hint: `Do not deposit: \`tonado pool inspect ${address} ${
        formatChainFlags({ network, endpoint, requestsPerSecond, registry })
      }\` shows what it is.`,
    },
  );
}

/** A link with an amount is safe only if a payment without the rest of the link comes back. */
const isPaidByLink = ({ asset, version }: Deployment) => asset === "native" && version === 2;

export async function confirmDeposit(
  context: CliContext,
  options: ChainOptions & { readonly yes?: boolean },
  { deployment, wallet, connects }: {
    readonly deployment: Deployment;
    readonly wallet: Wallet | undefined;
    readonly connects: boolean;
  },
  view: DepositView,
): Promise<void> {
  const { network } = options;
  const takes = formatAmount(deployment.denomination, deployment);
  const facts = {
    key: poolKey(deployment),
    address: formatPoolAddress(deployment.address, network),
    registry: registryLabel(network, options.registry),
  };
  if (!wallet) {
    if (connects || isPaidByLink(deployment)) {
      return view.showPool({ ...facts, takes, version: deployment.version }, { byHand: !connects });
    }
    throw usageError(
      "--connect",
      `or --mnemonic-file is required: ${facts.key} cannot be paid by a link`,
    );
  }
  const balance = await wallet.balance();
  if (deployment.asset === "native" && balance < deployment.denomination + GAS_RESERVE_NANO) {
    throw new Problem(
      "insufficient_funds",
      `${wallet.format()} holds ${formatNative(balance)}, but the deposit needs ${takes} plus fees`,
    );
  }
  const where = `${facts.key} on ${network}, ${facts.address} by ${facts.registry}`;
  await requireConfirmation(context, options, `Send ${takes} from ${wallet.format()} into ${where}?`);
}
