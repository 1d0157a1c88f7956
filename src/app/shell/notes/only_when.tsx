/** A screen that opens only when it can do something with the note that the page's address names. */
import { useEffect, useState } from "preact/hooks";
import type { ComponentChildren } from "preact";
import type { AppPorts } from "../app_ports.ts";

/** Shows its children, or goes to the notes if the screen was not possible when it opened. A later change ends no screen. */
export function OnlyWhen(
  { isPossible, ports, children }: {
    readonly isPossible: boolean;
    readonly ports: AppPorts;
    readonly children: ComponentChildren;
  },
) {
  const [wasPossible] = useState(isPossible);
  useEffect(() => {
    if (!wasPossible) ports.replace("#/");
  }, []);
  return <>{wasPossible && children}</>;
}
