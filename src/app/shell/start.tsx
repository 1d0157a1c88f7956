/// <reference lib="dom" />
/** The composition root: builds the adapters, reads the configuration, and shows the app. */
import { boot } from "../boot.ts";
import { signal } from "@preact/signals";
import { render } from "preact";
import { yieldToEventLoop } from "../../core/event_loop_yield.ts";
import { systemClock } from "../../core/time/clock.ts";
import { parseDeployments } from "../../core/protocol/deployments.ts";
import { createProver, type Prover } from "../../prover/prover.ts";
import type { Chain } from "../../ton/chain.ts";
import { withNetworkCheck } from "../../ton/endpoint/network_check.ts";
import { connect } from "../../ton/endpoint/toncenter.ts";
import { readAppConfig, type ServedConfig } from "../browser/app_config.ts";
import { cameraScanner } from "../browser/camera.ts";
import { Records } from "../browser/indexeddb.ts";
import { browserPageCache } from "../browser/page_cache.ts";
import { openTabs } from "../browser/locks.ts";
import { browserNoteFiles } from "../browser/note_file.ts";
import { browserPasskeys } from "../browser/passkey.ts";
import { browserPlace } from "../browser/place.ts";
import { browserPreferences } from "../browser/preferences.ts";
import { browserDownloads } from "../browser/save_file.ts";
import { browserVaults } from "../browser/vaults.ts";
import { connectionsOf } from "../flows/settings.ts";
import type { AppContext } from "../services/context.ts";
import { WithdrawalFees } from "../services/deposits/withdrawal_fees.ts";
import { PoolTrees } from "../services/pages/pool_trees.ts";
import { App } from "./app.tsx";
import type { AppPorts } from "./app_ports.ts";
import { applyLanguage } from "./language.ts";
import { openSettings } from "./stored_settings.ts";
import { texts } from "../text/texts.ts";
import { browserPayerSources } from "../wallet/sources.ts";

const POLL_INTERVAL_MS = { mainnet: 3_000, testnet: 3_000, localnet: 700 } as const;
/** Each check reads all pools, for every visitor. */
const CHECK_INTERVAL_MS = { mainnet: 60_000, testnet: 60_000, localnet: 5_000 } as const;
/** A phone has more cores than memory for them. */
const MAX_PROVER_WORKERS = 4;

const booted = boot();
const root = document.getElementById("app")!;
const settings = openSettings(browserPreferences);

function buildPorts(config: ServedConfig): AppPorts {
  const registry = parseDeployments(config.pools);
  const records = new Records();
  const tabs = openTabs();
  const route = signal(location.hash || "#/");
  addEventListener("hashchange", () => route.value = location.hash || "#/");
  const chains = new Map<string, Chain>();
  let prover: Promise<Prover> | undefined;
  const context: AppContext = {
    files: browserNoteFiles(records, () => tabs.notify("store_changed")),
    vaults: browserVaults(booted.vaultWorker),
    downloads: browserDownloads,
    artifacts: booted.artifacts,
    pages: browserPageCache(records),
    trees: new PoolTrees(),
    fees: new WithdrawalFees(),
    random: (bytes) => crypto.getRandomValues(bytes),
    clock: systemClock,
    registry,
    connections: () => connectionsOf(settings.value, config),
    connect(endpoint) {
      const known = chains.get(endpoint);
      if (known) return known;
      const chain = withNetworkCheck(connect({ endpoint, network: config.network }), config.network);
      chains.set(endpoint, chain);
      return chain;
    },
    prover() {
      const maxWorkers = Math.min(MAX_PROVER_WORKERS, navigator.hardwareConcurrency || 2);
      prover ??= createProver({ maxWorkers }).catch((error) => {
        prover = undefined; // the files may arrive the next time
        throw error;
      });
      return prover;
    },
    pollIntervalMs: POLL_INTERVAL_MS[config.network],
    checkIntervalMs: CHECK_INTERVAL_MS[config.network],
  };
  return {
    context,
    config,
    settings,
    route,
    place: browserPlace(booted.base, records, booted.createServiceUrl),
    passkeys: browserPasskeys(records),
    scanner: cameraScanner,
    tabs,
    sources: browserPayerSources({ ...config, base: booted.base, records }),
    go(to) {
      location.hash = to;
    },
    replace(to) {
      history.replaceState(null, "", to);
      route.value = to;
    },
  };
}

export async function start(): Promise<void> {
  const language = applyLanguage(settings.value.language);
  root.replaceChildren(); // the notice that the page is loading
  try {
    const ports = buildPorts(await readAppConfig(booted.base));
    await language;
    await yieldToEventLoop();
    render(<App ports={ports} />, root);
  } catch {
    await language;
    const { text, next } = texts.problems.artifact_unavailable;
    render(
      <main>
        <h1>{texts.app.problem}</h1>
        <p>{text} {next}</p>
      </main>,
      root,
    );
  }
}
