/** Parties of attacks on jetton pools. */
import { Address } from "@ton/core";

export const somebody = (byte: number, workchain = 0) => new Address(workchain, Buffer.alloc(32, byte));

export const thief = somebody(0x66);

export const FEE = 50_000_000n;
