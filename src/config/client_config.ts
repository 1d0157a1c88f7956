/** Flags and environment to what a depositor's commands need: where the notes are, what opens them, who pays. */
import { Problem } from "../core/errors.ts";
import { Secret } from "../core/secret.ts";
import { clientSettings } from "./client_settings.ts";
import type { Environment } from "./config.ts";
import { printable } from "./setting.ts";
import { Reader, type ToolFlags } from "./tool_config.ts";
import { toolSettings } from "./tool_settings.ts";
import { LARGEST_SECRET, readWholeText, reasonUnread } from "./whole_file.ts";

/** What the note store is opened with. */
export interface NotesConfig {
  readonly path: string;
  /** Absent: whoever sits at the terminal is asked. */
  readonly passphrase?: Secret<string>;
}

/** Characters of a passphrase at least. A short one is found by trying, whatever is done to slow that down. */
export const SHORTEST_PASSPHRASE = 10;

/** @throws {Problem} `invalid_config` */
export function loadNotes(
  flags: { readonly notes?: string },
  env: Environment,
  readFile: (path: string, most: number) => string = readWholeText,
): NotesConfig {
  const { notes, passphrase, passphraseFile } = clientSettings;
  const home = env.HOME || env.USERPROFILE;
  const path = flags.notes ?? (env[notes.name] || (home && `${home}/.tonado/notes.age`));
  if (!path) throw wrong(notes.name, "is required: there is no home directory to keep the notes in");
  const [file, direct] = [env[passphraseFile.name], env[passphrase.name]];
  if (file && direct) {
    throw wrong(passphraseFile.name, `is set together with ${passphrase.name}: set one of them`);
  }
  if (direct) return { path, passphrase: new Secret(direct) };
  if (!file) return { path };
  let text: string;
  try {
    text = readFile(file, LARGEST_SECRET).replace(/\r?\n$/, ""); // editors end files with a newline
  } catch (error) {
    const name = JSON.stringify(printable(passphraseFile, file));
    throw wrong(passphraseFile.name, `${name} cannot be read${reasonUnread(error)}`);
  }
  if (text === "") {
    throw wrong(passphraseFile.name, `${JSON.stringify(printable(passphraseFile, file))} is empty`);
  }
  return { path, passphrase: new Secret(text) };
}

/** A wallet whose words are here. */
export interface PayerConfig {
  readonly mnemonic: Secret<string>;
  readonly version: "v4R2" | "v5R1";
}

/**
 * The wallet that pays, where its words are at hand; undefined when neither flag nor variable says where.
 *
 * @throws {Problem} `invalid_config`
 */
export function loadPayer(
  flags: Pick<ToolFlags, "network" | "mnemonicFile" | "walletVersion">,
  env: Environment,
  readFile: (path: string, most: number) => string = readWholeText,
): PayerConfig | undefined {
  const { walletMnemonic, walletMnemonicFile } = toolSettings;
  if (!flags.mnemonicFile && !env[walletMnemonic.name] && !env[walletMnemonicFile.name]) return undefined;
  const reader = new Reader(env);
  const mnemonic = reader.mnemonic(flags, readFile);
  const version = loadWalletVersion(flags, reader);
  reader.finish();
  return { mnemonic: new Secret(mnemonic!), version: version! };
}

/** The wallet's contract: the flag, the variable, or v4R2. */
export function loadWalletVersion(
  { walletVersion }: Pick<ToolFlags, "walletVersion">,
  reader: Reader,
): "v4R2" | "v5R1" | undefined {
  return walletVersion ?? reader.read(toolSettings.walletVersion);
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem("invalid_config", undefined, { errors: [{ pointer, detail }] });
}
