import { useEffect, useState } from "preact/hooks";
import type { AppPlace } from "../ports.ts";

export type KnownVersions = Awaited<ReturnType<AppPlace["versions"]>>;

/** Looks for another version of the app once. Returns undefined until it is known. */
export function useVersions({ versions }: AppPlace): KnownVersions | undefined {
  const [known, setKnown] = useState<KnownVersions>();
  useEffect(() => void versions().then(setKnown, () => {}), []); // offline
  return known;
}
