/// <reference lib="dom" />
/** The page that the app runs in: whether notes are safe here, which version runs, and whether it is visible. */
import { withDeadline } from "../../core/time/deadline.ts";
import type { AppPlace, PlaceFault } from "../ports.ts";
import type { KnownVersions, ServiceRequest } from "../updates/protocol.ts";
import { fetchVersion } from "../updates/version.ts";
import type { Records } from "./indexeddb.ts";

/** Before it answers, the service worker may fetch a whole version of the app. */
const SERVICE_TIMEOUT_MS = 60_000;

export interface PageFacts {
  readonly isSecureContext: boolean;
  readonly isFramed: boolean;
  readonly pathname: string;
}

/** Also rejects gateways that serve all sites from one origin, where every site could read the notes. */
export function findPageFault({ isSecureContext, isFramed, pathname }: PageFacts): PlaceFault | undefined {
  if (isFramed) return "framed";
  if (/^\/(ipfs|ipns)\//.test(pathname)) return "path_gateway";
  return isSecureContext ? undefined : "insecure_origin";
}

/** Returns where a page with this fault can be opened instead, if its address tells. */
export function findOwnAddress(fault: PlaceFault | undefined, page: string): string | undefined {
  if (fault === "framed") return page;
  const { protocol, host, pathname } = new URL(page);
  const [, kind, name, path] = pathname.match(/^\/(ip[fn]s)\/([a-z0-9-]{1,63})\/(.*)$/) ?? [];
  if (fault !== "path_gateway" || name === undefined) return undefined;
  return `${protocol}//${name}.${kind}.${host}/${path}`;
}

export function browserPlace(base: URL, records: Records, createServiceUrl: () => string | URL): AppPlace {
  const service = () => navigator.serviceWorker?.controller;
  const pageFault = findPageFault({
    isSecureContext: globalThis.isSecureContext,
    isFramed: globalThis.top !== globalThis.self,
    pathname: location.pathname,
  });
  let token = "";
  const check = async (controller: ServiceWorker) => {
    const { token: next = "", ...known } = await ask(controller, { kind: "check" });
    token = next;
    return known;
  };
  const registered = pageFault ? Promise.resolve() : registerService(createServiceUrl);
  return {
    ownAddress: findOwnAddress(pageFault, location.href),
    async findFault() {
      if (pageFault) return pageFault;
      return await records.get("files", "probe").then(() => undefined, () => "storage_denied" as const);
    },
    async versions() {
      await registered;
      const controller = service();
      if (controller) {
        const { contents, ...known } = await check(controller);
        if (contents === undefined) return known;
        const { findVersionChanges } = await import("../updates/version_changes.ts");
        return { ...known, changes: findVersionChanges(contents.running, contents.waiting) };
      }
      return { running: (await fetchVersion(base)).id };
    },
    async acceptWaiting(id) {
      const controller = service();
      if (controller && (await ask(controller, { kind: "accept", id, token })).running !== id) {
        const { waiting } = await check(controller); // a worker that was restarted knows no token
        if (waiting === id) await ask(controller, { kind: "accept", id, token });
      }
      location.reload();
    },
    onVisibility(listener) {
      const change = () => listener(document.hidden);
      document.addEventListener("visibilitychange", change);
      return () => document.removeEventListener("visibilitychange", change);
    },
    isOnline: () => navigator.onLine,
  };
}

/** Resolves when the first service worker serves this page. Without it, the app works only online. */
async function registerService(createServiceUrl: () => string | URL): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(createServiceUrl(), { updateViaCache: "none" });
    if (!navigator.serviceWorker.controller) await nextController();
  } catch { /* private windows of some browsers, or a file is missing */ }
}

const onTimeout = () => new Error("the service worker did not answer");

function nextController(): Promise<void> {
  return withDeadline(SERVICE_TIMEOUT_MS, { onTimeout }, (signal) =>
    new Promise((resolve) => {
      const options = { once: true, signal };
      navigator.serviceWorker.addEventListener("controllerchange", () => resolve(), options);
    }));
}

function ask(worker: ServiceWorker, request: ServiceRequest): Promise<KnownVersions> {
  return withDeadline(SERVICE_TIMEOUT_MS, { onTimeout }, () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => resolve(data as KnownVersions);
      worker.postMessage(request, [port2]);
    }));
}
