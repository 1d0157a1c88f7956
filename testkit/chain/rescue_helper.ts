/** The contract that thaws frozen pools (contracts/rescue.tolk), compiled from its source. */
import type { Cell } from "@ton/core";
import { compileCached } from "./compiled_contracts.ts";

/** Returns the code of the helper. */
export function rescueHelperCode(): Promise<Cell> {
  return compileCached("contracts/rescue.tolk");
}
