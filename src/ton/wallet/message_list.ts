/** Reads the messages of a signed transfer, without knowing the wallet's version. */
import { type Address, type Cell, loadMessageRelaxed, type Message, type MessageRelaxed } from "@ton/core";

export interface InternalMessage {
  readonly dest: Address;
  readonly value: bigint; // nano
  readonly bounce: boolean;
  readonly hasInit: boolean;
  readonly body: Cell;
}

/** Returns the internal messages in a cell. A wallet of any version keeps its messages as cells of their own. */
export function messagesIn(cell: Cell): InternalMessage[] {
  const message = tryLoadMessage(cell);
  return [...message === undefined ? [] : toInternalMessage(message), ...cell.refs.flatMap(messagesIn)];
}

/** Returns an internal message as a list of one, and no other message. */
export function toInternalMessage(
  { info, init, body }: Pick<MessageRelaxed | Message, "info" | "init" | "body">,
): InternalMessage[] {
  if (info.type !== "internal") return [];
  return [{
    dest: info.dest,
    value: info.value.coins,
    bounce: info.bounce,
    hasInit: init !== undefined && init !== null,
    body,
  }];
}

function tryLoadMessage(cell: Cell): MessageRelaxed | undefined {
  try {
    return loadMessageRelaxed(cell.beginParse());
  } catch {
    return undefined;
  }
}
