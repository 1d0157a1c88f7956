/** The warnings that the user accepts before a withdrawal. */
import { findLinkability } from "../../../client/withdrawal/warnings/linkability_warnings.ts";
import {
  toLinkabilityFacts,
  type WithdrawalFacts,
} from "../../../client/withdrawal/warnings/withdrawal_facts.ts";
import type { ReviewedOffer } from "../../flows/withdraw/withdrawal_facts.ts";

/** Returns the warnings about a withdrawal, the most severe first. */
export function findWarnings(facts: WithdrawalFacts): ReviewedOffer["warnings"] {
  const { later } = facts;
  return findLinkability(toLinkabilityFacts(facts)).map((code) => ({
    code,
    ...code === "few_deposits" && later !== undefined && { count: later },
  }));
}
