/** Configuration of `tonado deploy`, from flags and environment. A flag overrides its variable. */
import { Secret } from "../core/text/secret.ts";
import { deploySettings } from "./settings/deploy_settings.ts";
import type { Endpoint } from "./endpoint.ts";
import { readBoundedFile } from "./files/bounded_file.ts";
import type { Environment } from "./settings/setting.ts";
import { type CommandFlags, type ReadFile, SettingsReader } from "./settings/settings_reader.ts";

interface DeployConfig {
  readonly endpoint: Endpoint;
  readonly wallet: { readonly mnemonic: Secret<string>; readonly version: "v4R2" | "v5R1" };
  readonly burnOwner: boolean;
}

export function loadDeployConfig(
  flags: CommandFlags,
  env: Environment,
  readFile: ReadFile = readBoundedFile,
): DeployConfig {
  const reader = new SettingsReader(env);
  const endpoint = reader.endpoint(flags);
  const mnemonic = reader.payerMnemonic(flags, readFile);
  const version = flags.walletVersion ?? reader.read(deploySettings.walletVersion);
  const burnOwner = flags.burnOwner ?? reader.read(deploySettings.burnOwner) === "1";
  if (burnOwner && flags.owner !== undefined) {
    const source = flags.burnOwner ? "--burn-owner" : deploySettings.burnOwner.name;
    reader.addError("--owner", `contradicts ${source}`);
  }
  reader.throwIfInvalid();
  return { endpoint, wallet: { mnemonic: new Secret(mnemonic!), version: version! }, burnOwner };
}
