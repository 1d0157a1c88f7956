/** The constants in TypeScript equal those of the compiled contracts. */
import assert from "node:assert/strict";
import {
  ENDOWMENT_SECONDS,
  GAS_HIGHEST_JETTON_WITHDRAW,
  GAS_HIGHEST_PATH,
  GAS_HIGHEST_RETRY,
  MAX_OPEN_CLAIMS,
  NET_ACCRUAL,
  POOL_CAPACITY,
  PREPAID_STORAGE_SECONDS,
  REFUND_RESERVE,
} from "../../../src/core/protocol/pool_constants.ts";
import { contractConstants } from "../../../testkit/chain/contract_constants.ts";
import { POOL_SIZE } from "../../../src/ton/pool/pool_size.ts";

const constant = await contractConstants(1);

const { native, jetton, keyBits, claim } = POOL_SIZE;
const figures = {
  REFUND_RESERVE,
  NET_ACCRUAL,
  ENDOWMENT_SECONDS,
  GAS_HIGHEST_PATH,
  GAS_HIGHEST_JETTON_WITHDRAW,
  CAPACITY: BigInt(POOL_CAPACITY),
  STORAGE_SECONDS: PREPAID_STORAGE_SECONDS,
  FIXED_CELLS: native.cells,
  FIXED_BITS: native.bits,
  FIXED_JETTON_CELLS: jetton.cells,
  FIXED_JETTON_BITS: jetton.bits,
  KEY_BITS: keyBits,
  CLAIM_CELLS: claim.cells,
  CLAIM_BITS: claim.bits,
};
for (const [name, value] of Object.entries(figures)) {
  Deno.test(`${name} is the contracts' own`, () => assert.equal(value, constant(name)));
}

for (const [name, value] of Object.entries({ GAS_HIGHEST_RETRY, MAX_OPEN_CLAIMS: BigInt(MAX_OPEN_CLAIMS) })) {
  Deno.test(`${name} is the jetton pool's own`, () => assert.equal(value, constant(name)));
}
