/**
 * Parameters of a request as a method reads them: strings and numbers alike, as the real API takes them from queries and
 * from JSON. What cannot be read is refused with 422, naming the parameter.
 */
import { Address, Cell } from "@ton/core";

/** A request that is answered with `code` and this message. */
export class RequestError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

/** Parameters as they came, from JSON or from a query. */
export type Params = Readonly<Record<string, unknown>>;

export function invalid(name: string, expected: string): RequestError {
  return new RequestError(422, `parameter ${name} must be ${expected}`);
}

export function attempt<T>(name: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new RequestError(422, `parameter ${name}: ${(error as Error).message}`);
  }
}

export function address(params: Params, name = "address"): Address {
  return attempt(name, () => Address.parse(String(params[name])));
}

export function cell(params: Params, name: string): Cell {
  return attempt(name, () => Cell.fromBase64(String(params[name])));
}

export function optionalCell(params: Params, name: string): Cell | undefined {
  return params[name] ? cell(params, name) : undefined;
}

export function integer(params: Params, name: string, otherwise: number): number {
  return Number(bigint(params, name, BigInt(otherwise)));
}

export function bigint(params: Params, name: string, otherwise: bigint): bigint {
  const value = params[name];
  if (value === undefined || value === null) return otherwise;
  if (!/^-?[0-9]{1,20}$/.test(String(value))) throw invalid(name, "an integer");
  return BigInt(String(value));
}

/** A hash in hex or in base64 of either alphabet, as toncenter takes it. */
export function hashBytes(value: unknown): Buffer {
  const text = String(value);
  const bytes = /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, "hex") : Buffer.from(text, "base64");
  if (bytes.length !== 32) throw invalid("hash", "32 bytes in hex or base64");
  return bytes;
}
