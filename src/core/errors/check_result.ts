/** The result of one check of an audit, a ceremony or a compliance report. `detail` is for people. */
export interface CheckResult {
  readonly name: string;
  readonly verdict: "ok" | "warning" | "failed";
  readonly detail: string;
  readonly fault?: string;
}

export const checkPassed = (name: string, detail: string): CheckResult => ({ name, verdict: "ok", detail });
export const checkWarning = (name: string, detail: string): CheckResult => ({
  name,
  verdict: "warning",
  detail,
});
export const checkFailed = (name: string, detail: string): CheckResult => ({
  name,
  verdict: "failed",
  detail,
});
