/** Reads settings from flags and environment and reports all errors together, without secret values. */
import { Problem, type ProblemDetail } from "../../core/errors/problem.ts";
import type { Network } from "../../core/protocol/network.ts";
import { Secret } from "../../core/text/secret.ts";
import { deploySettings } from "./deploy_settings.ts";
import { type Endpoint, publicEndpoints } from "../endpoint.ts";
import { decodeSecretText, formatReadFailure, MAX_SECRET_BYTES } from "../files/bounded_file.ts";
import { serveSettings } from "./serve_settings.ts";
import {
  type Environment,
  findVariable,
  MalformedSettingError,
  redactValue,
  type Setting,
} from "./setting.ts";

export interface CommandFlags {
  readonly network: Network;
  readonly endpoint?: string;
  readonly requestsPerSecond?: number;
  readonly mnemonicFile?: string;
  readonly walletVersion?: "v4R2" | "v5R1";
  readonly burnOwner?: boolean;
  readonly owner?: unknown;
}

export type ReadFile = (path: string, maxBytes: number) => Uint8Array;

export function loadEndpoint(flags: CommandFlags, env: Environment): Endpoint {
  const reader = new SettingsReader(env);
  const endpoint = reader.endpoint(flags);
  reader.throwIfInvalid();
  return endpoint;
}

/** Collects errors. Returned values are valid only after {@linkcode throwIfInvalid}. */
export class SettingsReader {
  readonly #errors: ProblemDetail[] = [];

  constructor(readonly env: Environment) {}

  addError(pointer: string, detail: string): void {
    this.#errors.push({ pointer, detail });
  }

  read<T>(setting: Setting<T>): T | undefined {
    const variable = findVariable(setting, this.env);
    const isOff = setting.offOnLocalnet && this.env[serveSettings.network.name] === "localnet";
    const text = variable?.value ?? (isOff ? "0" : setting.default);
    if (text === undefined) return undefined;
    return this.#parse(variable?.name ?? setting.name, setting, text);
  }

  readDefaulted<T>(setting: Setting<T> & { readonly default: string }): T {
    return this.read<T>(setting)!; // undefined only after an error, which throwIfInvalid reports
  }

  readOptional<K extends string, T>(key: K, setting: Setting<T>): { readonly [P in K]?: T } {
    const value = this.read(setting);
    return value === undefined ? {} : { [key]: value } as { [P in K]: T };
  }

  readSecret<K extends string, T>(key: K, setting: Setting<T>): { readonly [P in K]?: Secret<T> } {
    const value = this.read(setting);
    return value === undefined ? {} : { [key]: new Secret(value) } as { [P in K]: Secret<T> };
  }

  checkAlias({ name, alias }: Setting<unknown>): void {
    if (alias === undefined || !this.env[name] || !this.env[alias]) return;
    if (this.env[name] === this.env[alias]) return;
    this.addError(alias, `differs from ${name}, which is set too: set only one of them`);
  }

  secretFile(
    pointer: string,
    setting: Setting<string>,
    path: string,
    readFile: ReadFile,
  ): string | undefined {
    try {
      return decodeSecretText(readFile(path, MAX_SECRET_BYTES));
    } catch (error) {
      this.addUnreadable(pointer, redactValue(setting, path), error);
    }
  }

  addUnreadable(pointer: string, path: string, error: unknown): void {
    this.addError(pointer, `${JSON.stringify(path)} cannot be read${formatReadFailure(error)}`);
  }

  endpoint({ network, endpoint, requestsPerSecond }: CommandFlags): Endpoint {
    const { indexerUrl, indexerApiKey, indexerRequestsPerSecond } = deploySettings;
    const configuredUrl = endpoint === undefined
      ? this.read<string>(indexerUrl)
      : this.#parse("--endpoint", indexerUrl, endpoint);
    const url = configuredUrl ?? publicEndpoints[network];
    if (url === undefined && this.#errors.length === 0) {
      this.addError(
        "--endpoint",
        `is required on ${network}: use the \`indexer\` that \`tonado localnet\` prints`,
      );
    }
    return {
      url: url ?? "",
      ...this.readSecret("apiKey", indexerApiKey),
      ...requestsPerSecond === undefined
        ? this.readOptional("requestsPerSecond", indexerRequestsPerSecond)
        : { requestsPerSecond },
    };
  }

  mnemonic(
    settings: { readonly walletMnemonic: Setting<string>; readonly walletMnemonicFile: Setting<string> },
    readFile: ReadFile,
    missing: ProblemDetail,
    fileFlag?: string,
  ): string | undefined {
    const { walletMnemonic, walletMnemonicFile } = settings;
    const file = fileFlag ?? this.read(walletMnemonicFile);
    const isDirect = fileFlag === undefined && Boolean(this.env[walletMnemonic.name]);
    const value = isDirect ? this.read(walletMnemonic) : undefined;
    if (isDirect && file !== undefined) {
      this.addError(walletMnemonicFile.name, `conflicts with ${walletMnemonic.name}: set only one of them`);
    }
    if (isDirect) return value;
    if (file === undefined) return void this.addError(missing.pointer, missing.detail);
    const pointer = fileFlag === undefined ? walletMnemonicFile.name : "--mnemonic-file";
    const text = this.secretFile(pointer, walletMnemonicFile, file, readFile);
    if (text === undefined) return undefined;
    return this.#parse(pointer, walletMnemonic, text, "the content of the file");
  }

  payerMnemonic({ mnemonicFile }: CommandFlags, readFile: ReadFile): string | undefined {
    const { walletMnemonic, walletMnemonicFile } = deploySettings;
    const detail = "is required: the file with the mnemonic of the paying wallet " +
      `(or --mnemonic-file, or ${walletMnemonic.name})`;
    return this.mnemonic(
      deploySettings,
      readFile,
      { pointer: walletMnemonicFile.name, detail },
      mnemonicFile,
    );
  }

  throwIfInvalid(message?: (errors: readonly ProblemDetail[]) => string): void {
    if (this.#errors.length === 0) return;
    throw new Problem("invalid_config", message?.(this.#errors), { errors: this.#errors });
  }

  #parse<T>(pointer: string, setting: Setting<T>, text: string, secretName = "its value"): T | undefined {
    try {
      return setting.parse(text);
    } catch (error) {
      if (!(error instanceof MalformedSettingError)) throw error;
      const valueText = setting.secret ? secretName : JSON.stringify(redactValue(setting, text));
      this.addError(pointer, `${valueText} is not ${error.message}`);
    }
  }
}
