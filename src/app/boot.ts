/// <reference lib="dom" />
/** Prepares the page before anything else runs: Trusted Types, the locations of workers and artifacts, zod without eval. */
import * as z from "zod";
import { proverLocations } from "../prover/locations.ts";
import { threadRuntime } from "../threads/thread_runtime.ts";
import { treeLocations } from "../tree/locations.ts";
import { type BrowserArtifacts, browserArtifacts } from "./browser/artifacts.ts";
import { buildFacts } from "./browser/build_facts.ts";

z.config({ jitless: true }); // first: zod's probe for eval would violate the page's policy

export interface Booted {
  readonly base: URL;
  readonly artifacts: BrowserArtifacts;
  readonly vaultWorker: URL;
  /** Returns the service worker's URL in the form that the page's policy requires. */
  readonly createServiceUrl: () => string | URL;
}

/** The used part of Trusted Types, which TypeScript's library does not declare. */
interface TrustedTypesFactory {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): {
    createScriptURL(url: string): string | URL;
  };
}

const SERVICE_WORKER = "service_worker.js";

/** Call it once, before any other code. */
export function boot(base: URL = new URL("./", document.baseURI)): Booted {
  const { prover, tree, vault } = buildFacts.workers;
  const scripts = [prover, tree, vault, SERVICE_WORKER].map((name) => new URL(name, base).href);
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypesFactory };
  const createScriptURL = (url: string) => {
    const { href } = new URL(url, base);
    if (!scripts.includes(href)) throw new TypeError(`${href} is not a script of the app`);
    return href;
  };
  const policy = trustedTypes?.createPolicy("tonado", { createScriptURL });
  const trusted = (url: string) => policy?.createScriptURL(url) ?? createScriptURL(url);
  threadRuntime.startWorker = (module) => new Worker(trusted(module.href), { type: "module" });
  proverLocations.worker = new URL(prover, base);
  proverLocations.artifacts = new URL("artifacts/", base);
  treeLocations.worker = new URL(tree, base);
  const artifacts = browserArtifacts();
  proverLocations.read = artifacts.read;
  return {
    base,
    artifacts,
    vaultWorker: new URL(vault, base),
    createServiceUrl: () => trusted(new URL(SERVICE_WORKER, base).href),
  };
}
