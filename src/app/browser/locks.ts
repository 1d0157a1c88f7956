/// <reference lib="dom" />
/** Exclusion and messages between the tabs of one origin. */
import { Problem } from "../../core/errors/problem.ts";
import type { TabMessage, Tabs } from "../ports.ts";

const CHANNEL = "tonado-tabs";
const messages: readonly TabMessage[] = ["store_changed", "store_erased", "locked"];

/** Waits for the lock of this name. The browser releases it when the tab is closed or crashes. */
export async function holdLock(name: string): Promise<Disposable> {
  const lock = await requestLock(name, {});
  return lock!;
}

export async function holdFreeLock(name: string): Promise<Disposable> {
  const lock = await requestLock(name, { ifAvailable: true });
  if (!lock) throw new Problem("note_store_in_use", "another tab is moving money with these notes");
  return lock;
}

function requestLock(name: string, options: LockOptions): Promise<Disposable | undefined> {
  return new Promise((resolve, reject) => {
    navigator.locks.request(name, options, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve({ [Symbol.dispose]: () => release() }));
    }).catch(reject);
  });
}

export function openTabs(): Tabs {
  const channel = new BroadcastChannel(CHANNEL);
  return {
    notify: (message) => channel.postMessage(message),
    subscribe(listener) {
      const receive = ({ data }: MessageEvent) => {
        if (messages.includes(data)) listener(data);
      };
      channel.addEventListener("message", receive);
      return () => channel.removeEventListener("message", receive);
    },
  };
}
