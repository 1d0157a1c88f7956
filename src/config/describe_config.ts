import { isNetwork } from "../core/protocol/network.ts";
import { publicEndpoints } from "./endpoint.ts";
import { type Environment, findVariable, redactValue, type Setting } from "./settings/setting.ts";
import { serveSettings } from "./settings/serve_settings.ts";

export interface DescribedSetting {
  readonly name: string;
  readonly value?: string;
  readonly source: "environment" | "default" | "unset";
  readonly help: string;
}

export function describeConfig(env: Environment): DescribedSetting[] {
  const network = env[serveSettings.network.name] || serveSettings.network.default;
  const endpoint = isNetwork(network) ? publicEndpoints[network] : undefined;
  return Object.values<Setting<unknown>>(serveSettings).map((setting) => {
    const set = findVariable(setting, env)?.value;
    const standard = setting.offOnLocalnet && network === "localnet" ? "0" : setting.default;
    const value = set ?? standard ?? (setting === serveSettings.indexerUrl ? endpoint : undefined);
    return {
      name: setting.name,
      ...(value === undefined ? {} : { value: redactValue(setting, value) }),
      source: set !== undefined ? "environment" : value !== undefined ? "default" : "unset",
      help: setting.help,
    };
  });
}
