/**
 * A localnet's jetton: a discoverable one, whose minter and wallets are real compiled contracts. Nobody has the key of
 * its admin, so that only the localnet itself mints it.
 */
import { type Address, beginCell, Cell, contractAddress, internal, type Message } from "@ton/core";
import { storeMetadata } from "../ton/jetton_metadata.ts";
import { minterCode, walletCode } from "./generated/jetton_code.ts";
import { MINT } from "./mint.ts";

/** Identifier in notes and registries, and decimals: others than the native coin's, so that a mix-up shows. */
export const localJetton = { asset: "jet", decimals: 6 } as const;

const init = {
  code: Cell.fromBase64(minterCode),
  data: beginCell()
    .storeCoins(0) // supply
    .storeAddress(MINT)
    .storeRef(
      storeMetadata({ name: "Localnet jetton", symbol: "JET", decimals: String(localJetton.decimals) }),
    )
    .storeRef(Cell.fromBase64(walletCode))
    .endCell(),
};

/** Address of the master. */
export const localJettonMaster: Address = contractAddress(0, init);

const OP_MINT = 21;
const OP_INTERNAL_TRANSFER = 0x178d4519;
/** Nano that a mint carries, and what of it goes to the wallet: the minter keeps the rest. */
const MINT_VALUE = 200_000_000n;
const WALLET_VALUE = 100_000_000n;

/** Puts the master on chain. */
export function jettonFromNowhere(createdAt: number): Message {
  return fromNowhere({ value: 1_000_000_000n, init, body: Cell.EMPTY, bounce: false }, createdAt);
}

/** Mints `amount` of the smallest unit to the wallet of `to`, deployed or not. */
export function jettonsFromNowhere(to: Address, amount: bigint, createdAt: number): Message {
  const transfer = beginCell()
    .storeUint(OP_INTERNAL_TRANSFER, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(localJettonMaster)
    .storeAddress(null) // nobody gets the rest
    .storeCoins(0)
    .storeBit(false)
    .endCell();
  const body = beginCell()
    .storeUint(OP_MINT, 32)
    .storeUint(0, 64)
    .storeAddress(to)
    .storeCoins(WALLET_VALUE)
    .storeRef(transfer)
    .endCell();
  return fromNowhere({ value: MINT_VALUE, body, bounce: true }, createdAt);
}

function fromNowhere(
  message: { value: bigint; body: Cell; bounce: boolean; init?: typeof init },
  createdAt: number,
): Message {
  const { info, ...rest } = internal({ to: localJettonMaster, ...message });
  if (info.type !== "internal") throw new TypeError("no internal message");
  return { ...rest, info: { ...info, src: MINT, createdLt: 0n, createdAt } };
}
