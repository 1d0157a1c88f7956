/**
 * A jetton pool in TON's emulator with real jetton contracts: the minter and wallet of npm's
 * `@ton-community/assets-sdk`. Only the pool's verification keys are test keys (see trapdoor_keys.ts).
 */
import { Address, beginCell, Cell, contractAddress, type Message, type StateInit } from "@ton/core";
import { internal } from "@ton/sandbox";
import {
  loadTransferNotification,
  storeJettonTransfer,
} from "../../src/core/protocol/messages/jetton_messages.ts";
import { opCodes, storeDiscoverJettonWallet } from "../../src/core/protocol/messages/pool_messages.ts";
import { minterCode, walletCode as standardWalletCode } from "../../src/localnet/generated/jetton_code.ts";
import { jettonPoolInit } from "../../src/ton/pool/state_init.ts";
import { encodePoolData, type PoolState, RootHistoryModel, SetModel } from "./pool_storage.ts";
import {
  type DepositChange,
  freshElement,
  type Outcome,
  PoolSandbox,
  type WithdrawChange,
} from "./pool_sandbox.ts";
import { trapdoorJettonCode } from "./trapdoor_keys.ts";

/** The minter's owner. The emulator sends from any address without a key. */
const admin = new Address(0, Buffer.alloc(32, 0xad));
/** The value of a transfer itself, in addition to what it forwards. */
const TRANSFER_VALUE = 300_000_000n;

const standard = { code: Cell.fromBase64(minterCode), walletCode: Cell.fromBase64(standardWalletCode) };

/** A jetton's master, and the code of its wallets. */
interface JettonMaster {
  readonly address: Address;
  readonly init: StateInit;
  readonly walletCode: Cell;
}

/** Returns a master. Each content gives another address. */
export function jettonMaster(content = "a jetton", jetton: JettonCode = {}): JettonMaster {
  const { code, walletCode } = { ...standard, ...jetton };
  const data = beginCell().storeCoins(0).storeAddress(admin)
    .storeRef(beginCell().storeStringTail(content).endCell()).storeRef(walletCode).endCell();
  const init = { code, data };
  return { address: contractAddress(0, init), init, walletCode };
}

/** Returns the address of the wallet that a master assigns to `owner`. */
export function jettonWallet({ address, walletCode }: JettonMaster, owner: Address): Address {
  const data = beginCell().storeCoins(0).storeAddress(owner).storeAddress(address).storeRef(walletCode)
    .endCell();
  return contractAddress(0, { code: walletCode, data });
}

/** Contracts of a jetton other than `@ton-community/assets-sdk`'s. */
interface JettonCode {
  readonly code?: Cell;
  readonly walletCode?: Cell;
}

/** The differences of a deposit by transfer from a valid one. */
export interface JettonDepositChange extends Omit<DepositChange, "value" | "bounce"> {
  readonly amount?: bigint;
  /** Nano to forward with the jettons. */
  readonly forward?: bigint;
  /** The payload to forward instead of a deposit; null for none. */
  readonly payload?: Cell | null;
  readonly queryId?: bigint;
}

/** A jetton pool, and a user with a million jettons. */
export class JettonSandbox {
  private constructor(
    readonly pool: PoolSandbox,
    readonly minter: JettonMaster,
  ) {}

  /** Opens a pool of 10 jettons with 9 decimals that knows its wallet and has 2.5 GRAM. */
  static async open(
    { discovered = true, code, init = jettonPoolInit, jetton = {}, ...options }:
      & Parameters<typeof PoolSandbox.open>[0]
      & {
        discovered?: boolean;
        jetton?: JettonCode;
        /** The initial state. Default: that of a version 1 pool. */
        init?: typeof jettonPoolInit;
      } = {},
  ): Promise<JettonSandbox> {
    const minter = jettonMaster("a jetton", jetton);
    const pool = await PoolSandbox.open({
      ...options,
      code: code ?? await trapdoorJettonCode(),
      data: (owner, denomination) =>
        init({
          denomination,
          owner,
          jettonMaster: minter.address,
          generation: options.generation,
        }).data,
    });
    const jettons = new JettonSandbox(pool, minter);
    await deployMinter(pool, minter);
    await jettons.mint(pool.user.address, 1_000_000_000_000_000n);
    if (discovered) {
      await pool.send(storeDiscoverJettonWallet(), 200_000_000n, { from: pool.owner.address });
      const { balance: now } = options;
      await pool.setState({ balance: now ?? 2_500_000_000n });
    }
    return jettons;
  }

  /** Returns the address of the wallet that the master assigns to `owner`. */
  walletOf(owner: Address): Address {
    return jettonWallet(this.minter, owner);
  }

  get poolWallet(): Address {
    return this.walletOf(this.pool.address);
  }

  /** Returns the jettons of `owner`; 0 without a wallet. */
  async balanceOf(owner: Address): Promise<bigint> {
    return await readJettonBalance(this.pool, this.walletOf(owner));
  }

  async mint(to: Address, amount: bigint, minter = this.minter): Promise<void> {
    const transfer = beginCell().storeUint(0x178d4519, 32).storeUint(0, 64).storeCoins(amount)
      .storeAddress(minter.address).storeAddress(null).storeCoins(0).storeBit(false).endCell();
    const body = beginCell().storeUint(21, 32).storeUint(0, 64).storeAddress(to).storeCoins(100_000_000n)
      .storeRef(transfer).endCell();
    await this.pool.chain.sendMessage(
      internal({ from: admin, to: minter.address, value: 200_000_000n, body }),
    );
  }

  depositValue(): Promise<bigint> {
    return this.pool.get("get_deposit_value").then((stack) => stack.readBigNumber());
  }

  /** Returns the user's transfer that deposits, with changes. */
  async transferMessage(change: JettonDepositChange = {}): Promise<Message> {
    const { amount = this.pool.denomination, queryId = 7n } = change;
    const forward = change.forward ?? await this.depositValue();
    const { user } = this.pool;
    return internal({
      from: user.address,
      to: this.walletOf(user.address),
      value: forward + TRANSFER_VALUE,
      body: storeJettonTransfer({
        queryId,
        amount,
        destination: this.pool.address,
        responseDestination: user.address,
        forwardAmount: forward,
        forwardPayload: change.payload !== undefined ? change.payload : await this.pool.depositBody(change),
      }),
    });
  }

  async deposit(change: JettonDepositChange = {}): Promise<Outcome & { readonly newRoot: bigint }> {
    const newRoot = change.newRoot ?? freshElement();
    const outcome = await this.pool.deliver(await this.transferMessage({ ...change, newRoot }));
    if (outcome.exitCode === 0) this.pool.roots.push(newRoot);
    return { ...outcome, newRoot };
  }

  withdraw(change: WithdrawChange = {}): Promise<Outcome> {
    return this.pool.withdraw(change);
  }

  /**
   * Replaces the pool's state, with a root history for its deposits and jettons for its unspent notes.
   *
   * @returns the roots, oldest first
   */
  async setState(
    { deposits, withdrawals = 0, ...change }: Partial<PoolState> & { deposits: number },
  ): Promise<bigint[]> {
    const history = new RootHistoryModel();
    // Only the last two generations of roots are kept.
    const roots = Array.from({ length: deposits < 96 ? deposits : 64 + deposits % 32 }, freshElement);
    for (const root of roots) history.push(root);
    const { pool } = this;
    const data = encodePoolData({
      denomination: pool.denomination,
      deposits,
      withdrawals,
      debt: 0n,
      touched: pool.chain.now!,
      nullifiers: new SetModel(),
      commitments: new SetModel(),
      history,
      root: roots.at(-1) ?? pool.root,
      paused: false,
      owner: pool.owner.address,
      jetton: { master: this.minter.address, wallet: this.poolWallet },
      ...change,
    });
    await pool.setState({ data });
    pool.roots.splice(0, Infinity, ...roots);
    const owed = BigInt(deposits - withdrawals) * pool.denomination - await this.balanceOf(pool.address);
    if (owed > 0n) await this.mint(pool.address, owed);
    return roots;
  }
}

/** Returns the jettons in a wallet; 0 if it does not exist. */
export async function readJettonBalance(pool: PoolSandbox, wallet: Address): Promise<bigint> {
  const { accountState } = await pool.chain.getContract(wallet);
  if (accountState?.type !== "active") return 0n;
  const { stackReader } = await pool.chain.runGetMethod(wallet, "get_wallet_data");
  return stackReader.readBigNumber();
}

/** Deploys a master on the pool's chain. */
export async function deployMinter(pool: PoolSandbox, minter: JettonMaster): Promise<void> {
  await pool.chain.sendMessage(internal({
    from: admin,
    to: minter.address,
    value: 1_000_000_000n,
    bounce: false,
    stateInit: minter.init,
    body: Cell.EMPTY,
  }));
}

/** Returns the transfer notifications to `owner` in an outcome. */
export function transferNotificationsTo(
  outcome: Outcome,
  owner: Address,
): ReturnType<typeof loadTransferNotification>[] {
  return outcome.transactions.flatMap(({ inMessage }) => {
    const isNotice = inMessage?.info.dest?.toString() === owner.toString() &&
      opCodeOf(inMessage.body) === opCodes.transfer_notification;
    return isNotice ? [loadTransferNotification(inMessage.body)] : [];
  });
}

/** Returns the op code of a body; undefined if it is too short. */
export function opCodeOf(body: Cell): number | undefined {
  return body.bits.length < 32 ? undefined : body.beginParse().preloadUint(32);
}
