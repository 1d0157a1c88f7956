/** One answer of an audit: of a pool, of a ceremony, or of a compliance report. */

/** `failed`: depositing there is unsafe. `detail` is for people. */
export interface Check {
  readonly name: string;
  readonly verdict: "ok" | "warning" | "failed";
  readonly detail: string;
}

export const ok = (name: string, detail: string): Check => ({ name, verdict: "ok", detail });
export const warning = (name: string, detail: string): Check => ({ name, verdict: "warning", detail });
export const failed = (name: string, detail: string): Check => ({ name, verdict: "failed", detail });
