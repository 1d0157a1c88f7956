/** The contract that thaws frozen pools (contracts/shared/rescue.tolk), compiled from its source. */
import type { Cell } from "@ton/core";
import { compileCached } from "./compiled_contracts.ts";

/** Returns the code of the helper. */
export function rescueHelperCode(): Promise<Cell> {
  return compileCached("contracts/shared/rescue.tolk");
}
