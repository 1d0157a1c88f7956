/** The costs of messages to a jetton pool, and the coins that each leaves in the pool, by SPEC.md. */
import type { Address } from "@ton/core";
import type { WithdrawalCost } from "./withdrawal_driver.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { max } from "./checked_pool.ts";
import type { WithdrawFields } from "./invalid_messages.ts";
import { maxStorageSize } from "./pool_model.ts";
import { PoolDriver } from "./pool_driver.ts";
import { DAY } from "./scenarios.ts";

const constant = await contractConstants(1);
const DEPOSIT_GAS = constant("GAS_HIGHEST_JETTON_DEPOSIT");
const WITHDRAW_GAS = constant("GAS_HIGHEST_JETTON_WITHDRAW");
export const RETRY_GAS = constant("GAS_HIGHEST_RETRY");
export const MAX_OPEN_CLAIMS = 256;
/**
 * The size of the pool without its notes: the deployer's endowment pays its storage for 40 years (SPEC.md,
 * Coins).
 */
const ENDOWMENT = { cells: 2_860n, bits: 70_000n };
export const FIXED = { cells: constant("FIXED_JETTON_CELLS"), bits: constant("FIXED_JETTON_BITS") };
const PREPAID_SECONDS = 1_262_304_000n;
const PREPAID_KEYS = { cells: 2n, bits: 204n };
export const RESERVE = 10_000_000n;
const SWEEP_FLOOR = 2_500_000_000n;
const TRANSFER_FLOOR = 100_000_000n;
const LOG = { cells: 1n, bits: 534n };
export const TRANSFER = { cells: 1n, bits: 880n };
export const RETRY = { cells: 1n, bits: 944n };
const RETURN = { cells: 2n, bits: 928n };
/** The gas that the pool may charge beyond what it used. */
export const GAS_TOLERANCE = 300n;

/** A driver that computes costs from the prices. */
export abstract class JettonCosts extends PoolDriver {
  /** Returns the deployer's endowment and the coins that each deposit and withdrawal left. */
  promisedBalance(): bigint {
    const { model: { deposits, withdrawals }, ledger: { prices } } = this;
    const endowment = max(SWEEP_FLOOR, prices.storage({ ...ENDOWMENT, seconds: PREPAID_SECONDS }));
    return endowment + BigInt(deposits + withdrawals) * this.keep();
  }

  promisedSeconds(): number {
    return Number(PREPAID_SECONDS);
  }

  transferValue(): bigint {
    const { prices } = this.ledger;
    const messages = 2n * prices.forward(0, { cells: 30n, bits: 12_000n });
    const storage = prices.storage({ cells: 4n, bits: 1_500n, seconds: 157_788_000n });
    return max(TRANSFER_FLOOR, prices.gas(40_000n) + messages + storage);
  }

  depositValue(): bigint {
    const { prices } = this.ledger;
    return prices.gas(DEPOSIT_GAS) + prices.forward(0) + this.transferValue() + prices.forward(0, RETURN) +
      this.keep();
  }

  keep(): bigint {
    return max(RESERVE, this.ledger.prices.storage({ ...PREPAID_KEYS, seconds: PREPAID_SECONDS }));
  }

  demand({ fee, refund }: WithdrawFields, _from: Address, _ground: bigint, unpaid: bigint): WithdrawalCost {
    const { model, ledger: { prices } } = this;
    const transfers = BigInt(Number(fee < model.denomination) + Number(fee > 0n));
    const fees = prices.forward(0, LOG) + (refund > 0n ? prices.forward(0) : 0n) +
      transfers * (this.transferValue() + prices.forward(0, TRANSFER));
    const keep = this.keep() + unpaid;
    return { retained: keep, minValue: prices.gas(WITHDRAW_GAS) + fees + refund + keep };
  }

  expectedQuote(refund: bigint, balance: bigint): bigint {
    const { model, ledger: { prices, now } } = this;
    const storage = (seconds: number) =>
      prices.storage({ ...maxStorageSize(model, FIXED), seconds: BigInt(seconds) });
    return 2n * prices.gas(WITHDRAW_GAS) +
      2n * (this.transferValue() + prices.forward(0, TRANSFER)) + prices.forward(0, LOG) +
      (refund > 0n ? prices.forward(0) : 0n) + refund + this.keep() + storage(DAY) +
      max(0n, storage(now - model.touched) - balance);
  }

  reservedBalance(): bigint {
    const { model, ledger: { prices } } = this;
    const { deposits } = model;
    const spent = maxStorageSize({ deposits, withdrawals: deposits }, FIXED);
    return max(SWEEP_FLOOR, prices.storage({ ...spent, seconds: PREPAID_SECONDS }));
  }
}
