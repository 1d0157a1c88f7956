/** Who takes part in a withdrawal: wallets that exist, addresses where nothing is yet, code that refuses all messages. */
import { Address, beginCell, Cell } from "@ton/core";
import { createShardAccount } from "@ton/sandbox";
import type { PoolSandbox } from "./pool_sandbox.ts";

/** `fresh` has neither code nor money; `refusing` throws at whatever comes. */
export const partyKinds = ["fresh", "wallet", "refusing", "masterchain"] as const;
export type PartyKind = typeof partyKinds[number];

const refusing = new Address(0, Buffer.alloc(32, 0x0f));

export class Parties {
  #counter = 0;

  constructor(readonly pool: PoolSandbox) {}

  /** Puts the code that refuses all messages on the chain. */
  async settle(): Promise<void> {
    const code = beginCell().storeUint(0xf221, 16).endCell(); // THROW 33
    const account = createShardAccount({
      address: refusing,
      code,
      data: Cell.EMPTY,
      balance: 1_000_000_000n,
    });
    await this.pool.chain.setShardAccount(refusing, account);
  }

  /** Whether an address had nothing before it was given, and is given once. */
  isFresh(address: Address): boolean {
    return address.hash.subarray(4).every((byte) => byte === 0x77);
  }

  /** An address of this kind, fresh ones another each time. */
  of(kind: PartyKind): Address {
    if (kind === "wallet") return this.pool.user.address;
    if (kind === "refusing") return refusing;
    const id = Buffer.alloc(32, 0x77);
    id.writeUInt32BE(++this.#counter);
    return new Address(kind === "masterchain" ? -1 : 0, id);
  }
}
