/** zod schemas of the scalars in files and HTTP bodies. Each accepts the one spelling that tonado writes. */
import { Address } from "@ton/core";
import * as z from "zod";
import { isFieldElement } from "../../crypto/field.ts";

export const countSchema = z.int().nonnegative();

export const amountTextSchema = z.string().regex(/^(0|[1-9][0-9]{0,38})$/, "is not a decimal integer string");
export const amountSchema = amountTextSchema.transform(BigInt);

export const hashTextSchema = z.string().regex(/^[0-9a-f]{64}$/, "is not 64 lowercase hex digits");

const FIELD_ELEMENT_PATTERN = /^0x[0-9a-f]{64}$/;
const INVALID_FIELD_ELEMENT = "is not 0x and 64 lowercase hex digits below r";
export const fieldElementTextSchema = z.string()
  .regex(FIELD_ELEMENT_PATTERN, { error: INVALID_FIELD_ELEMENT, abort: true })
  .refine((text) => isFieldElement(BigInt(text)), INVALID_FIELD_ELEMENT);

export const addressSchema = z.string().transform((text, context) => {
  try {
    return Address.parse(text);
  } catch {
    context.addIssue({ code: "custom", message: "is not an address" });
    return z.NEVER;
  }
});
export const addressTextSchema = z.string().refine(
  (text) => addressSchema.safeParse(text).success,
  "is not an address",
);
