import { Address, Cell } from "@ton/core";

export class RequestError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

export type Params = Readonly<Record<string, unknown>>;

export function invalidParam(name: string, expected: string): RequestError {
  return new RequestError(422, `parameter ${name} must be ${expected}`);
}

export function parseParam<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RequestError(422, `parameter ${name}: ${(error as Error).message}`);
  }
}

export function addressParam(params: Params, name = "address"): Address {
  return parseParam(name, () => Address.parse(String(params[name])));
}

export function cellParam(params: Params, name: string): Cell {
  return parseParam(name, () => Cell.fromBase64(String(params[name])));
}

export function optionalCellParam(params: Params, name: string): Cell | undefined {
  return params[name] ? cellParam(params, name) : undefined;
}

export function integerParam(params: Params, name: string, fallback: number): number {
  return Number(bigintParam(params, name, BigInt(fallback)));
}

export function bigintParam(params: Params, name: string, fallback: bigint): bigint {
  const value = params[name];
  if (value === undefined || value === null) return fallback;
  if (!/^-?[0-9]{1,20}$/.test(String(value))) throw invalidParam(name, "an integer");
  return BigInt(String(value));
}

/** Accepts hex and both alphabets of base64, like toncenter. */
export function parseHash(value: unknown): Buffer {
  const text = String(value);
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (bytes.length !== 32) throw invalidParam("hash", "32 bytes in hex or base64");
  return bytes;
}
