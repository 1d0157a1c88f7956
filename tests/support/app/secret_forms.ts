/** Searches recorded texts for the forms in which a secret could be written. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";

/** Returns the forms in which a value could be written. */
export function formsOf(value: bigint | Uint8Array): string[] {
  const bytes = typeof value === "bigint"
    ? Buffer.from(value.toString(16).padStart(64, "0"), "hex")
    : Buffer.from(value);
  const hex = bytes.toString("hex");
  const decimal = BigInt(`0x${hex}`).toString();
  return [
    hex,
    hex.toUpperCase(),
    hex.replace(/^0+/, ""),
    decimal,
    bytes.toString("base64"),
    bytes.toString("base64url"),
  ];
}

export function assertAbsent(
  where: string,
  texts: readonly string[],
  ...values: readonly ReadonlyMap<string, readonly string[]>[]
): void {
  for (const [what, forms] of values.flatMap((map) => [...map])) {
    const found = texts.find((text) =>
      forms.some((form) => text.includes(form) || decodeURIComponentSafe(text).includes(form))
    );
    assert.equal(found, undefined, `${where}: ${what}`);
  }
}

function decodeURIComponentSafe(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
