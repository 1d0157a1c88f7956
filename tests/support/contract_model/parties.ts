/** The parties of a withdrawal: existing wallets, unused addresses, and contracts that reject all messages. */
import { Address, beginCell, Cell } from "@ton/core";
import { createShardAccount } from "@ton/sandbox";
import type { PoolSandbox } from "../../../testkit/chain/pool_sandbox.ts";

/** `fresh` has neither code nor balance; `refusing` throws on every message. */
export const partyKinds = ["fresh", "wallet", "refusing", "masterchain"] as const;
export type PartyKind = typeof partyKinds[number];

const refusing = new Address(0, Buffer.alloc(32, 0x0f));

export class PartyAddresses {
  #counter = 0;

  constructor(readonly pool: PoolSandbox) {}

  /** Deploys the contract that rejects all messages. */
  async deploy(): Promise<void> {
    const code = beginCell().storeUint(0xf221, 16).endCell(); // THROW 33
    const account = createShardAccount({
      address: refusing,
      code,
      data: Cell.EMPTY,
      balance: 1_000_000_000n,
    });
    await this.pool.chain.setShardAccount(refusing, account);
  }

  /** Returns whether an address was unused before a withdrawal named it. */
  isFresh(address: Address): boolean {
    return address.hash.subarray(4).every((byte) => byte === 0x77);
  }

  /** Returns an address of this kind. Every fresh address is a new one. */
  of(kind: PartyKind): Address {
    if (kind === "wallet") return this.pool.user.address;
    if (kind === "refusing") return refusing;
    const id = Buffer.alloc(32, 0x77);
    id.writeUInt32BE(++this.#counter);
    return new Address(kind === "masterchain" ? -1 : 0, id);
  }
}
