/** The settings as an operator sees them: name, effective value, where it comes from, help. Secrets are redacted. */
import { isNetwork } from "../core/network.ts";
import { type Environment, publicEndpoints } from "./config.ts";
import { given, printable, type Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** One setting for printing. */
export interface DescribedSetting {
  readonly name: string;
  /** Effective value; `[redacted]` for a secret that is set; undefined when there is none. */
  readonly value?: string;
  readonly source: "environment" | "default" | "unset";
  readonly help: string;
}

/** Every setting with its effective value; checks nothing. */
export function describeConfig(env: Environment): DescribedSetting[] {
  const network = env[settings.network.name] || settings.network.default;
  const endpoint = isNetwork(network) ? publicEndpoints[network] : undefined;
  return Object.values<Setting<unknown>>(settings).map((setting) => {
    const set = given(setting, env)?.value;
    const standard = setting.offOnLocalnet && network === "localnet" ? "0" : setting.default;
    const value = set ?? standard ?? (setting === settings.indexerUrl ? endpoint : undefined);
    return {
      name: setting.name,
      ...(value === undefined ? {} : { value: printable(setting, value) }),
      source: set !== undefined ? "environment" : value !== undefined ? "default" : "unset",
      help: setting.help,
    };
  });
}
