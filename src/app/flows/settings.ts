/** The app's settings: what a build declares, and what its user changed. None of them is a secret. */
import * as z from "zod";
import { isHttpUrl } from "../../core/text/urls.ts";
import type { AppConfig } from "../ports.ts";

const settingsSchema = z.object({
  theme: z.enum(["system", "light", "dark"]).catch("system"),
  lockMinutes: z.int().min(1).max(60).catch(10),
  depositEndpoint: z.string().optional().catch(undefined),
  withdrawalEndpoint: z.string().optional().catch(undefined),
  relayers: z.array(z.string()).max(20).optional().catch(undefined),
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

/** Returns settings with the form's connections, or the members that are not URLs. Relayers: one a line. */
export function applyConnections(
  settings: Settings,
  form: ConnectionsForm,
): { readonly settings: Settings } | { readonly faults: readonly (keyof ConnectionsForm)[] } {
  const relayers = form.relayers.split(/\s+/).filter((url) => url !== "");
  const isValid = {
    depositEndpoint: isHttpUrl(form.depositEndpoint.trim()),
    withdrawalEndpoint: isHttpUrl(form.withdrawalEndpoint.trim()),
    relayers: relayers.length > 0 && relayers.length <= 20 && relayers.every(isHttpUrl),
  };
  const faults = (Object.keys(isValid) as (keyof ConnectionsForm)[]).filter((name) => !isValid[name]);
  if (faults.length > 0) return { faults };
  return {
    settings: {
      ...settings,
      depositEndpoint: form.depositEndpoint.trim(),
      withdrawalEndpoint: form.withdrawalEndpoint.trim(),
      relayers: [...new Set(relayers)],
    },
  };
}
