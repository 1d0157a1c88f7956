/** The worker thread of the ceremony's arithmetic: one task at a time; it keeps nothing between them. */
import { work } from "./work.ts";

/** A task as it is sent. */
export interface Message {
  readonly name: keyof typeof work;
  readonly args: readonly unknown[];
}

/** What comes back. */
export type Answer = { readonly result: unknown } | { readonly error: string };

const scope = self as unknown as {
  onmessage: (event: MessageEvent<Message>) => void;
  postMessage(answer: Answer): void;
};

scope.onmessage = ({ data: { name, args } }) => {
  try {
    scope.postMessage({ result: (work[name] as (...args: readonly unknown[]) => unknown)(...args) });
  } catch (error) {
    scope.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};
