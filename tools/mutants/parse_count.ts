import { InvalidArgumentError } from "commander";

/** Parses an option that counts something. */
export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("not a number above 0");
  return value;
}
