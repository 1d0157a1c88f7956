/** The app's settings: those of the build, and the user's changes. No setting is secret. */
import * as z from "zod";
import { isHttpUrl } from "../../core/text/urls.ts";
import type { AppConfig } from "../ports.ts";
import { languages } from "../text/languages.ts";

const MAX_RELAYERS = 20;

const settingsSchema = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  language: z.enum(languages).optional().catch(undefined), // absent: as in the browser
  lockMinutes: z.int().min(1).max(60).catch(10),
  depositEndpoint: z.string().optional().catch(undefined),
  withdrawalEndpoint: z.string().optional().catch(undefined),
  relayers: z.array(z.string()).max(MAX_RELAYERS).optional().catch(undefined),
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

export interface Connections {
  readonly depositEndpoint: string;
  readonly withdrawalEndpoint: string;
  readonly relayers: readonly string[];
  /** Whether one endpoint serves both, and can therefore link a visitor's deposit and withdrawal. */
  readonly isShared: boolean;
  readonly isShareAccepted: boolean;
}

export type ConnectionFault = "invalid" | "wrong_number" | "blocked";
export type ConnectionFaults = Readonly<Partial<Record<keyof ConnectionsForm, ConnectionFault>>>;

export function connectionsOf(settings: Settings, config: AppConfig): Connections {
  const depositEndpoint = settings.depositEndpoint ?? config.depositEndpoint;
  const withdrawalEndpoint = settings.withdrawalEndpoint ?? config.withdrawalEndpoint;
  const relayers = settings.relayers ?? config.relayers;
  const { host } = new URL(withdrawalEndpoint);
  const isShared = new URL(depositEndpoint).host === host;
  const isShareAccepted = isShared && settings.acceptedSharedHost === host;
  return { depositEndpoint, withdrawalEndpoint, relayers, isShared, isShareAccepted };
}

export type ConnectionsForm = Readonly<
  Record<"depositEndpoint" | "withdrawalEndpoint" | "relayers", string>
>;

/** Returns the form's connections as a change of the settings, or their faults. `connect`: what the page's policy allows. */
export function applyConnections(
  form: ConnectionsForm,
  connect: readonly string[] | undefined,
): { readonly change: Partial<Settings> } | { readonly faults: ConnectionFaults } {
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
    change: {
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
  if (urls.length > MAX_RELAYERS) return "wrong_number";
  if (!urls.every(isHttpUrl)) return "invalid";
  const isReachable = (url: string) => {
    const { origin, protocol } = new URL(url);
    return connect === undefined || connect.some((source) => source === origin || source === protocol);
  };
  return urls.every(isReachable) ? undefined : "blocked";
}
