/** The app's settings: what a build declares, and what its user changed. None of them is a secret. */
import * as z from "zod";
import { isHttpUrl } from "../../core/text/urls.ts";
import type { AppConfig } from "../ports.ts";

const MAX_RELAYERS = 20;

const settingsSchema = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  lockMinutes: z.int().min(1).max(60).catch(10),
  depositEndpoint: z.string().optional().catch(undefined),
  withdrawalEndpoint: z.string().optional().catch(undefined),
  relayers: z.array(z.string()).max(MAX_RELAYERS).optional().catch(undefined),
  /** Whether one endpoint for both ways was noticed and accepted. */
  acceptsSharedEndpoint: z.boolean().optional().catch(undefined),
  /** Fingerprint of the seed whose backup was read back. */
  provenSeed: z.string().optional().catch(undefined),
});

/** What is kept between visits. Absent members follow the build's configuration. */
export type Settings = z.output<typeof settingsSchema>;

/** Reads what was kept. Members that are malformed take their defaults. */
export function parseSettings(kept: unknown): Settings {
  const parsed = settingsSchema.safeParse(kept ?? {});
  return parsed.success ? parsed.data : settingsSchema.parse({});
}

/** Where the app connects to. */
export interface Connections {
  readonly depositEndpoint: string;
  readonly withdrawalEndpoint: string;
  readonly relayers: readonly string[];
  /** One endpoint for both sees the deposit and the withdrawal of one visitor. */
  readonly isShared: boolean;
}

/** What is wrong with a connection: not a URL, or one that this page's policy blocks. */
export type ConnectionFault = "invalid" | "blocked";
export type ConnectionFaults = Readonly<Partial<Record<keyof ConnectionsForm, ConnectionFault>>>;

export function connectionsOf(settings: Settings, config: AppConfig): Connections {
  const depositEndpoint = settings.depositEndpoint ?? config.depositEndpoint;
  const withdrawalEndpoint = settings.withdrawalEndpoint ?? config.withdrawalEndpoint;
  const relayers = settings.relayers ?? config.relayers;
  const isShared = new URL(depositEndpoint).host === new URL(withdrawalEndpoint).host;
  return { depositEndpoint, withdrawalEndpoint, relayers, isShared };
}

export type ConnectionsForm = Readonly<
  Record<"depositEndpoint" | "withdrawalEndpoint" | "relayers", string>
>;

/**
 * Returns settings with the form's connections, or what is wrong with them. Relayers: one a line.
 * @param connect what the page's policy lets it reach: origins or schemes
 */
export function applyConnections(
  settings: Settings,
  form: ConnectionsForm,
  connect: readonly string[] | undefined,
): { readonly settings: Settings } | { readonly faults: ConnectionFaults } {
  const relayers = form.relayers.split(/\s+/).filter((url) => url !== "");
  const urls = {
    depositEndpoint: [form.depositEndpoint.trim()],
    withdrawalEndpoint: [form.withdrawalEndpoint.trim()],
    relayers,
  };
  const found = Object.entries(urls).map(([name, each]) => [name, faultOf(each, connect)] as const)
    .filter(([, fault]) => fault !== undefined);
  if (found.length > 0) return { faults: Object.fromEntries(found) };
  return {
    settings: {
      ...settings,
      depositEndpoint: urls.depositEndpoint[0],
      withdrawalEndpoint: urls.withdrawalEndpoint[0],
      relayers: [...new Set(relayers)],
    },
  };
}

function faultOf(
  urls: readonly string[],
  connect: readonly string[] | undefined,
): ConnectionFault | undefined {
  if (urls.length === 0 || urls.length > MAX_RELAYERS || !urls.every(isHttpUrl)) return "invalid";
  const isReachable = (url: string) => {
    const { origin, protocol } = new URL(url);
    return connect === undefined || connect.some((source) => source === origin || source === protocol);
  };
  return urls.every(isReachable) ? undefined : "blocked";
}
