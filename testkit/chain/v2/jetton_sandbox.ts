/** A version 2 jetton pool in TON's emulator, with test verification keys and real jetton contracts. */
import type { Address } from "@ton/core";
import { storeEnqueue } from "../../../src/core/protocol/v2/messages.ts";
import type { Claim } from "../../../src/ton/pool/pool_getters.ts";
import type { V2PoolState } from "../../../src/ton/pool/v2/pool_state.ts";
import { v2JettonPoolInit } from "../../../src/ton/pool/state_init.ts";
import { type JettonDepositChange, JettonSandbox } from "../jetton_sandbox.ts";
import { freshElement } from "../pool_sandbox.ts";
import { V2Sandbox, withV2Logs } from "./sandbox.ts";
import { v2TrapdoorJettonCode } from "./trapdoor_codes.ts";

/** The differences of a deposit by transfer from a valid one. */
export interface JettonEnqueueChange
  extends Pick<JettonDepositChange, "amount" | "forward" | "payload" | "queryId"> {
  readonly commitment?: bigint;
}

/** The coins of a pool that a test puts into a state. */
const BALANCE_NANO = 20_000_000_000n;

/** A jetton pool of version 2, and a user with a million jettons. */
export class V2JettonSandbox extends V2Sandbox {
  private constructor(readonly jettons: JettonSandbox) {
    super(jettons.pool);
  }

  /** Opens a pool of 10 jettons with 9 decimals that knows its wallet, or puts it into a state. */
  static async openJetton(
    { state, ...options }:
      & NonNullable<Parameters<typeof JettonSandbox.open>[0]>
      & { state?: Partial<V2PoolState> } = {},
  ): Promise<V2JettonSandbox> {
    const jettons = await JettonSandbox.open({
      balance: BALANCE_NANO,
      ...options,
      code: options.code ?? await v2TrapdoorJettonCode(),
      init: v2JettonPoolInit,
    });
    const sandbox = new V2JettonSandbox(jettons);
    if (state) await sandbox.setState(state, options.balance);
    return sandbox;
  }

  /**
   * Puts the pool into a state, and mints the jettons of its notes. The rest of the state is that of an empty
   * pool that knows its wallet.
   *
   * @param claims open claims
   */
  override async setState(
    change: Partial<V2PoolState>,
    balance = BALANCE_NANO,
    claims: readonly Claim[] = [],
  ): Promise<void> {
    const jetton = { master: this.jettons.minter.address, wallet: this.jettons.poolWallet, claims };
    await super.setState({ touched: this.pool.chain.now!, jetton, ...change }, balance);
    const { deposits = 0, withdrawals = 0 } = change;
    const owed = BigInt(deposits - withdrawals) * this.pool.denomination +
      claims.reduce((sum, { amount }) => sum + amount, 0n);
    const missing = owed - await this.jettons.balanceOf(this.pool.address);
    if (missing > 0n) await this.jettons.mint(this.pool.address, missing);
  }

  /** Deposits by a transfer from the user. */
  override async deposit({ commitment = freshElement(), ...change }: JettonEnqueueChange = {}) {
    const payload = change.payload === undefined ? storeEnqueue({ queryId: 0n, commitment }) : change.payload;
    const message = await this.jettons.transferMessage({ ...change, payload });
    const outcome = withV2Logs(await this.pool.deliver(message));
    if (outcome.exitCode === 0) this.commitments.push(commitment);
    return { ...outcome, commitment };
  }

  balanceOf(owner: Address): Promise<bigint> {
    return this.jettons.balanceOf(owner);
  }
}
