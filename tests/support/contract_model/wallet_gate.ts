/** A jetton wallet that its issuer upgraded: it refuses transfers with less value than it requires. */
import { type Address, beginCell, type Cell } from "@ton/core";
import type { Blockchain } from "@ton/sandbox";
import { opCodes } from "../../../src/core/protocol/messages/pool_messages.ts";

/** The value that a locked wallet requires of every transfer: more coins than exist. */
export const LOCKED = 1n << 100n;

/** TVM: `82 l n` pushes a signed integer of 8 l + 19 bits. */
const pushInt = (value: bigint, length: number) =>
  beginCell().storeUint(0x82, 8).storeUint(length, 5).storeInt(value, 8 * length + 19);
const PUSH_REF_CONT = 0x8a;
const IF = 0xde;
const IF_NOT = 0xdf;
const IF_JMP = 0xe0;

/**
 * Returns code that throws 49 for a transfer with less than `minValue` nano, and otherwise runs `code`.
 * On entry the stack holds balance, value, message, body and selector, which is 0 for an internal message.
 */
export function gatedWalletCode(code: Cell, minValue: bigint): Cell {
  // s3 PUSH; minValue PUSHINT; LESS; 49 THROWIF
  const refuse = beginCell().storeUint(0x23, 8).storeBuilder(pushInt(minValue, 11)).storeUint(0xb9, 8)
    .storeUint(0xf271, 16).endCell();
  const ifTransfer = beginCell().storeBuilder(pushInt(BigInt(opCodes.transfer), 2)).storeUint(0xba, 8)
    .storeUint(PUSH_REF_CONT, 8).storeRef(refuse).storeUint(IF, 8).endCell();
  // s1 PUSH; 32 PLDUQ, which pushes -1 above the op if the body has one
  const ifInternal = beginCell().storeUint(0x21, 8).storeUint(0xd70f1f, 24).storeUint(PUSH_REF_CONT, 8)
    .storeRef(ifTransfer).storeUint(IF, 8).endCell();
  // SETCP0; DUP; ... IFNOT; then the wallet's own code by JMPX
  return beginCell().storeUint(0xff00, 16).storeUint(0x20, 8).storeUint(PUSH_REF_CONT, 8).storeRef(ifInternal)
    .storeUint(IF_NOT, 8).storeUint(PUSH_REF_CONT, 8).storeRef(code).storeUint(0xd9, 8).endCell();
}

/** Returns code that answers get methods by `code`, and accepts every message without doing anything. */
export function silentWalletCode(code: Cell): Cell {
  // SETCP0; DUP; IFJMP to the wallet's own code
  return beginCell().storeUint(0xff00, 16).storeUint(0x20, 8).storeUint(PUSH_REF_CONT, 8).storeRef(code)
    .storeUint(IF_JMP, 8).endCell();
}

/**
 * Adds the gate to a wallet, or removes it.
 * @param code the wallet's own code
 * @param minValue nano that the wallet requires of a transfer; 0 for no gate
 * @returns false if there is no wallet at the address
 */
export async function setWalletGate(
  chain: Blockchain,
  wallet: Address,
  code: Cell,
  minValue: bigint,
): Promise<boolean> {
  const shard = (await chain.getContract(wallet)).account;
  const { account } = shard;
  if (account?.storage.state.type !== "active") return false;
  account.storage.state.state.code = minValue === 0n ? code : gatedWalletCode(code, minValue);
  await chain.setShardAccount(wallet, shard);
  return true;
}
