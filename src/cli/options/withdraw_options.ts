import type { Address } from "@ton/core";
import type { ChainOptions } from "./chain_options.ts";
import type { NoteStoreOptions } from "./note_store_options.ts";
import type { PayerOptions } from "./payer_options.ts";

export type WithdrawOptions = ChainOptions & NoteStoreOptions & PayerOptions & {
  readonly to?: Address;
  readonly relayer?: readonly string[];
  readonly refund: string;
  readonly maxFee?: string;
  readonly fast?: boolean;
  readonly recipientCheck: boolean;
  readonly self?: boolean;
  readonly restart?: boolean;
  readonly yes?: boolean;
};
