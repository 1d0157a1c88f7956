import type { Cell } from "@ton/core";
import { decodeV2PoolData } from "../../../ton/pool/v2/pool_state.ts";
import type { SettleInfo } from "../../../ton/pool/v2/pool.ts";
import type { RebuiltV2Pool } from "./rebuilt_pool.ts";

/** The facts of a version 2 pool that an audit reads in addition to `PoolFacts`. */
export interface V2Facts {
  readonly settleInfo: SettleInfo;
  readonly rebuilt: RebuiltV2Pool;
  readonly stored?: ReturnType<typeof decodeV2PoolData>; // absent if the account's data has another layout
}

/** Returns undefined for data of another layout. */
export function tryDecodeV2PoolData(data: Cell): V2Facts["stored"] {
  try {
    return decodeV2PoolData(data);
  } catch {
    return undefined;
  }
}
