/** Deposits through a link that never expires. If another deposit takes the leaf, it creates a new link. */
import type { Address } from "@ton/core";
import type { ProveOptions } from "../../prover/prover.ts";
import type { DepositResult } from "./deposit_events.ts";
import { depositByPayer, type PayerDepositRequest, type PayerDepositStep } from "./deposit_payer.ts";
import { linkPayer, type PaymentLink } from "./payer.ts";

/** A deposit through a link. */
export interface LinkDepositRequest
  extends Omit<PayerDepositRequest, "payer" | "validForSeconds" | "onStep"> {
  /** Owner of the jettons. Required for jettons. */
  readonly jettonOwner?: Address | undefined;
  readonly onStep?: (step: LinkDepositStep) => void;
}

/** A link that pays for the deposit at one leaf. */
export interface DepositLink extends PaymentLink {
  readonly leafIndex: number;
}

/** `stale`: a new link follows. `refused`: the pool returned anyone's payment for this commitment. */
export type LinkDepositStep =
  | Exclude<PayerDepositStep, { readonly step: "paying" }>
  | { readonly step: "link"; readonly link: DepositLink };

/**
 * Deposits a version 1 note through a `ton://` link that any wallet can pay.
 * @throws {Problem} `payment_timeout` after `timeoutMs`; otherwise as {@linkcode depositNative} does
 * @example
 * ```ts
 * await depositByLink({ chain, pool, network: "testnet", note, prover,
 *   onStep: (step) => step.step === "link" && console.log(step.link.url) });
 * ```
 */
export async function depositByLink(
  request: LinkDepositRequest,
  options: ProveOptions = {},
): Promise<DepositResult> {
  const { jettonOwner: owner, network, onStep = () => {} } = request;
  let leafIndex = 0;
  const payer = linkPayer({
    testOnly: network !== "mainnet",
    owner,
    onLink: (link) => onStep({ step: "link", link: { ...link, leafIndex } }),
  });
  const onPayerStep = (step: PayerDepositStep) => {
    if (step.step === "paying") leafIndex = step.leafIndex;
    else onStep(step);
  };
  return await depositByPayer({ ...request, payer, validForSeconds: Infinity, onStep: onPayerStep }, options);
}
