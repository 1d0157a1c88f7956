/** Real compiled contracts (TEP-89). The admin has no key, so only the localnet can mint. */
import { type Address, beginCell, Cell, contractAddress, internal, type Message } from "@ton/core";
import { storeJettonMetadata } from "../ton/jetton/jetton_metadata.ts";
import { minterCode, walletCode } from "./generated/jetton_code.ts";
import { MINT_ADDRESS } from "./coin_mint.ts";

/** The decimals differ from the native coin's, so that mistakes are visible. */
export const localJetton = { asset: "jet", decimals: 6 } as const;

const masterInit = {
  code: Cell.fromBase64(minterCode),
  data: beginCell()
    .storeCoins(0) // supply
    .storeAddress(MINT_ADDRESS)
    .storeRef(
      storeJettonMetadata({ name: "Localnet jetton", symbol: "JET", decimals: String(localJetton.decimals) }),
    )
    .storeRef(Cell.fromBase64(walletCode))
    .endCell(),
};

export const localJettonMaster: Address = contractAddress(0, masterInit);

const OP_MINT = 21;
const OP_INTERNAL_TRANSFER = 0x178d4519;
/** In nano; the minter keeps what the wallet does not get. */
const MINT_VALUE = 200_000_000n;
const MINT_WALLET_VALUE = 100_000_000n;

export function jettonDeployMessage(createdAt: number): Message {
  return masterMessage(
    { value: 1_000_000_000n, init: masterInit, body: Cell.EMPTY, bounce: false },
    createdAt,
  );
}

export function jettonMintMessage(to: Address, amount: bigint, createdAt: number): Message {
  const transfer = beginCell()
    .storeUint(OP_INTERNAL_TRANSFER, 32)
    .storeUint(0, 64)
    .storeCoins(amount)
    .storeAddress(localJettonMaster)
    .storeAddress(null) // no recipient of the excess
    .storeCoins(0)
    .storeBit(false)
    .endCell();
  const body = beginCell()
    .storeUint(OP_MINT, 32)
    .storeUint(0, 64)
    .storeAddress(to)
    .storeCoins(MINT_WALLET_VALUE)
    .storeRef(transfer)
    .endCell();
  return masterMessage({ value: MINT_VALUE, body, bounce: true }, createdAt);
}

function masterMessage(
  message: { value: bigint; body: Cell; bounce: boolean; init?: typeof masterInit },
  createdAt: number,
): Message {
  const { info, ...rest } = internal({ to: localJettonMaster, ...message });
  if (info.type !== "internal") throw new TypeError("not an internal message");
  return { ...rest, info: { ...info, src: MINT_ADDRESS, createdLt: 0n, createdAt } };
}
