import { useEffect, useState } from "preact/hooks";
import type { AppPlace, AppVersions } from "../ports.ts";

/** Looks for another version of the app once. Returns undefined until it is known. */
export function useVersions({ versions }: AppPlace): AppVersions | undefined {
  const [known, setKnown] = useState<AppVersions>();
  useEffect(() => void versions().then(setKnown, () => {}), []); // offline
  return known;
}
