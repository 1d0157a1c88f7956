/** The app's settings: those of the build, and the user's changes. No setting is secret. */
import * as z from "zod";
import { isEndpointUrl, isHttpUrl } from "../../core/text/urls.ts";
import type { AppConfig } from "../ports.ts";
import { languages } from "../text/languages.ts";

const MAX_RELAYERS = 20;

const address = z.string().refine(isEndpointUrl).optional().catch(undefined);
/** Without its malformed addresses. A list that has no others counts as absent. */
const addresses = z.array(z.string()).max(MAX_RELAYERS).transform((stored) => {
  const urls = stored.filter(isHttpUrl);
  return urls.length === 0 && stored.length > 0 ? undefined : urls;
}).optional().catch(undefined);

const settingsSchema = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  language: z.enum(languages).optional().catch(undefined), // absent: as in the browser
  lockMinutes: z.int().min(1).max(60).catch(10),
  depositEndpoint: address,
  withdrawalEndpoint: address,
  relayers: addresses,
  /** Host of the endpoint that the user accepted for both deposits and withdrawals. */
  acceptedSharedHost: z.string().optional().catch(undefined),
  provenSeed: z.string().optional().catch(undefined), // fingerprint of the seed whose backup was read back
  /** Tags of the notes in proven backup files that this seed does not bring back. */
  provenNotes: z.array(z.string()).optional().catch(undefined),
});

/** The settings stored between visits. Absent members follow the build's configuration. */
export type Settings = z.output<typeof settingsSchema>;

/** Identifies the seed and the notes of a backup that was read back, without revealing them. */
export type BackupProof = Readonly<Required<Pick<Settings, "provenSeed" | "provenNotes">>>;

/** Returns the proof of all backups so far. Those of another seed no longer count. */
export function addProof({ provenSeed, provenNotes = [] }: Settings, proof: BackupProof): BackupProof {
  const earlier = provenSeed === proof.provenSeed ? provenNotes : [];
  return { ...proof, provenNotes: [...new Set([...earlier, ...proof.provenNotes])] };
}

/** Parses stored settings. Malformed members get their defaults. */
export function parseSettings(stored: unknown): Settings {
  const parsed = settingsSchema.safeParse(stored ?? {});
  return parsed.success ? parsed.data : settingsSchema.parse({});
}

export interface Connections extends ConnectionAddresses {
  /** Whether one endpoint serves both, and can therefore link a visitor's deposit and withdrawal. */
  readonly isShared: boolean;
  readonly isShareAccepted: boolean;
  /** Whether addresses are stored that differ from the website's. */
  readonly hasOwn: boolean;
  /** Stored addresses that the page's policy blocks. They are not used. */
  readonly blocked: readonly string[];
}

interface ConnectionAddresses {
  readonly depositEndpoint: string;
  readonly withdrawalEndpoint: string;
  readonly relayers: readonly string[];
}

/** A connection with stored addresses that the page's policy blocks. */
export interface UnusedConnection {
  readonly name: keyof ConnectionAddresses;
  /** Origins of the blocked addresses. */
  readonly own: readonly string[];
  /** Origins that the page uses for this connection. Empty if the website has no relayers either. */
  readonly used: readonly string[];
}

export type ConnectionFault = "invalid" | "wrong_api" | "wrong_number" | "blocked";
export type ConnectionFaults = Readonly<Partial<Record<keyof ConnectionsForm, ConnectionFault>>>;

/** Returns the stored addresses that the page may use, and the website's instead of the others. */
export function connectionsOf(settings: Settings, config: AppConfig): Connections {
  const stored = connectionNames.flatMap((name) => settings[name] ?? []);
  const blocked = stored.filter((url) => !isReachable(url, config));
  const allowed = (url: string | undefined) => url && blocked.includes(url) ? undefined : url;
  const depositEndpoint = allowed(settings.depositEndpoint) ?? config.depositEndpoint;
  const withdrawalEndpoint = allowed(settings.withdrawalEndpoint) ?? config.withdrawalEndpoint;
  const own = settings.relayers?.filter((url) => !blocked.includes(url));
  const relayers = own && (own.length > 0 || settings.relayers?.length === 0) ? own : config.relayers;
  const { host } = new URL(withdrawalEndpoint);
  const isShared = new URL(depositEndpoint).host === host;
  return {
    ...{ depositEndpoint, withdrawalEndpoint, relayers, isShared, blocked },
    isShareAccepted: isShared && settings.acceptedSharedHost === host,
    hasOwn: connectionNames.some((name) =>
      settings[name] !== undefined && !isSame(settings[name], config[name])
    ),
  };
}

/** Returns the connections that the user chose and the page may not use. */
export function unusedConnections(settings: Settings, config: AppConfig): readonly UnusedConnection[] {
  const originsOf = (urls: string | readonly string[]) => [urls].flat().map((url) => new URL(url).origin);
  return connectionNames.flatMap((name) => {
    const blocked = [settings[name] ?? []].flat().filter((url) => !isReachable(url, config));
    if (blocked.length === 0) return [];
    return [{ name, own: originsOf(blocked), used: originsOf(connectionsOf(settings, config)[name]) }];
  });
}

const connectionNames = ["depositEndpoint", "withdrawalEndpoint", "relayers"] as const;

export type ConnectionsForm = Readonly<Record<keyof ConnectionAddresses, string>>;

export function formOf(
  { depositEndpoint, withdrawalEndpoint, relayers }: ConnectionAddresses,
): ConnectionsForm {
  return { depositEndpoint, withdrawalEndpoint, relayers: relayers.join("\n") };
}

/**
 * Returns the form's connections as a change of the settings, or their faults. Those that equal the website's are
 * not stored, so that the app uses what the website offers later.
 */
export function applyConnections(
  form: ConnectionsForm,
  config: AppConfig,
): { readonly change: Partial<Settings> } | { readonly faults: ConnectionFaults } {
  const typed = {
    depositEndpoint: form.depositEndpoint.trim(),
    withdrawalEndpoint: form.withdrawalEndpoint.trim(),
    relayers: [...new Set(form.relayers.split(/\s+/).filter((url) => url !== ""))],
  };
  const own = connectionNames.filter((name) => !isSame(typed[name], config[name]));
  const found = own.map((name) => [name, faultOf(name, [typed[name]].flat(), config)] as const)
    .filter(([, fault]) => fault !== undefined);
  if (found.length > 0) return { faults: Object.fromEntries(found) };
  const change = connectionNames.map((name) => [name, own.includes(name) ? typed[name] : undefined]);
  return { change: Object.fromEntries(change) };
}

/** Returns what the page may connect to: addresses of the website's settings, and sources that have none there. */
export function allowedAddresses(config: AppConfig): readonly string[] {
  const { depositEndpoint, withdrawalEndpoint, relayers, connect = [] } = config;
  const known = [depositEndpoint, withdrawalEndpoint, ...relayers];
  const named = connect.map((source) => {
    const urls = known.filter((url) => new URL(url).origin === source);
    return urls.length > 0 ? urls : [source];
  });
  return [...new Set(named.flat())];
}

/** Compares addresses, or lists of them, regardless of slashes at the end. */
function isSame(a: string | readonly string[], b: string | readonly string[]): boolean {
  const textOf = (urls: string | readonly string[]) =>
    [urls].flat().map((url) => url.replace(/\/+$/, "")).join(" ");
  return textOf(a) === textOf(b);
}

function isReachable(url: string, { connect }: AppConfig): boolean {
  const { origin, protocol } = new URL(url);
  return connect === undefined || connect.some((source) => source === origin || source === protocol);
}

function faultOf(
  name: keyof ConnectionAddresses,
  urls: readonly string[],
  config: AppConfig,
): ConnectionFault | undefined {
  if (urls.length > MAX_RELAYERS) return "wrong_number";
  if (!urls.every(isHttpUrl)) return "invalid";
  if (name !== "relayers" && !urls.every(isEndpointUrl)) return "wrong_api";
  return urls.every((url) => isReachable(url, config)) ? undefined : "blocked";
}
