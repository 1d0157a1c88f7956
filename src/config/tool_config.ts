/**
 * Flags and environment to what the deploying and auditing commands need: a flag wins over its variable. Every fault is
 * listed at once; a secret's value is never repeated.
 */
import { Problem, type ProblemDetail } from "../core/errors.ts";
import type { Network } from "../core/network.ts";
import { Secret } from "../core/secret.ts";
import { type Environment, publicEndpoints } from "./config.ts";
import { Malformed, printable, type Setting } from "./setting.ts";
import { toolSettings } from "./tool_settings.ts";
import { LARGEST_SECRET, readWholeText, reasonUnread } from "./whole_file.ts";

/** What a command was told, parsed as far as the flags themselves say. */
export interface ToolFlags {
  readonly network: Network;
  readonly endpoint?: string;
  readonly mnemonicFile?: string;
  readonly walletVersion?: "v4R2" | "v5R1";
  readonly burnOwner?: boolean;
  /** Excludes a burned one. */
  readonly owner?: unknown;
}

/** A toncenter v2 endpoint. */
export interface EndpointConfig {
  readonly url: string;
  readonly apiKey?: Secret<string>;
}

/** What `tonado deploy` needs. */
export interface DeployConfig {
  readonly endpoint: EndpointConfig;
  readonly wallet: { readonly mnemonic: Secret<string>; readonly version: "v4R2" | "v5R1" };
  readonly burnOwner: boolean;
}

/** The endpoint alone. @throws {Problem} `invalid_config` */
export function loadEndpoint(flags: ToolFlags, env: Environment): EndpointConfig {
  const reader = new Reader(env);
  const endpoint = reader.endpoint(flags);
  reader.finish();
  return endpoint;
}

/**
 * All that a deployment needs.
 *
 * @param readFile reads the mnemonic's file
 * @throws {Problem} `invalid_config` with one entry in `errors` for each thing that is wrong or missing
 */
export function loadDeployConfig(
  flags: ToolFlags,
  env: Environment,
  readFile: (path: string, most: number) => string = readWholeText,
): DeployConfig {
  const reader = new Reader(env);
  const endpoint = reader.endpoint(flags);
  const mnemonic = reader.mnemonic(flags, readFile);
  const version = flags.walletVersion ?? reader.read(toolSettings.walletVersion);
  const burnOwner = flags.burnOwner ?? reader.read(toolSettings.burnOwner) === "1";
  if (burnOwner && flags.owner !== undefined) {
    reader.wrong("--owner", `contradicts ${flags.burnOwner ? "--burn-owner" : toolSettings.burnOwner.name}`);
  }
  reader.finish();
  return { endpoint, wallet: { mnemonic: new Secret(mnemonic!), version: version! }, burnOwner };
}

/** Reads settings and collects what is wrong with them. */
export class Reader {
  readonly #errors: ProblemDetail[] = [];

  constructor(readonly env: Environment) {}

  wrong(pointer: string, detail: string): void {
    this.#errors.push({ pointer, detail });
  }

  /** A variable that is empty counts as unset. */
  read<T>(setting: Setting<T>): T | undefined {
    const text = this.env[setting.name] || setting.default;
    if (text === undefined) return undefined;
    return this.#parse(setting.name, setting, text);
  }

  endpoint({ network, endpoint }: ToolFlags): EndpointConfig {
    const { indexerUrl, indexerApiKey } = toolSettings;
    const given = endpoint === undefined
      ? this.read<string>(indexerUrl)
      : this.#parse("--endpoint", indexerUrl, endpoint);
    const url = given ?? publicEndpoints[network];
    if (url === undefined && this.#errors.length === 0) {
      this.wrong("--endpoint", `is required on ${network}: the \`indexer\` that \`tonado localnet\` prints`);
    }
    const apiKey = this.read<string>(indexerApiKey);
    return { url: url ?? "", ...apiKey === undefined ? {} : { apiKey: new Secret(apiKey) } };
  }

  mnemonic(
    { mnemonicFile }: ToolFlags,
    readFile: (path: string, most: number) => string,
  ): string | undefined {
    const { walletMnemonic, walletMnemonicFile } = toolSettings;
    const file = mnemonicFile ?? this.read<string>(walletMnemonicFile);
    const direct = mnemonicFile === undefined && this.env[walletMnemonic.name];
    if (direct && file !== undefined) {
      this.wrong(walletMnemonicFile.name, `is set together with ${walletMnemonic.name}: set one of them`);
    }
    if (direct) return this.read<string>(walletMnemonic);
    if (file === undefined) {
      this.wrong(
        walletMnemonicFile.name,
        `is required: the file that holds the mnemonic of the wallet that pays (or --mnemonic-file, or ${walletMnemonic.name})`,
      );
      return undefined;
    }
    const pointer = mnemonicFile === undefined ? walletMnemonicFile.name : "--mnemonic-file";
    let text: string;
    try {
      text = readFile(file, LARGEST_SECRET);
    } catch (error) {
      const name = JSON.stringify(printable(walletMnemonicFile, file));
      this.wrong(pointer, `${name} cannot be read${reasonUnread(error)}`);
      return undefined;
    }
    return this.#parse(pointer, walletMnemonic, text);
  }

  /** @throws {Problem} `invalid_config` when anything was wrong */
  finish(): void {
    if (this.#errors.length === 0) return;
    throw new Problem("invalid_config", undefined, { errors: this.#errors });
  }

  #parse<T>(pointer: string, setting: Setting<T>, text: string): T | undefined {
    try {
      return setting.parse(text);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      this.wrong(
        pointer,
        `${setting.secret ? "its value" : JSON.stringify(printable(setting, text))} is not ${error.message}`,
      );
      return undefined;
    }
  }
}
