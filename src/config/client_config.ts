import { Secret } from "../core/text/secret.ts";
import { clientSettings } from "./settings/client_settings.ts";
import { deploySettings } from "./settings/deploy_settings.ts";
import { readBoundedFile } from "./files/bounded_file.ts";
import { type Environment, redactValue } from "./settings/setting.ts";
import { type CommandFlags, type ReadFile, SettingsReader } from "./settings/settings_reader.ts";

interface NoteStoreConfig {
  readonly path: string;
  readonly passphrase?: Secret<string>;
}

/** Shorter passphrases can be guessed, however slow the key derivation is. */
export const MIN_PASSPHRASE_LENGTH = 10;

export function loadNoteStoreConfig(
  flags: { readonly notes?: string },
  env: Environment,
  readFile: ReadFile = readBoundedFile,
): NoteStoreConfig {
  const { notes, passphrase, passphraseFile } = clientSettings;
  const reader = new SettingsReader(env);
  const home = env.HOME || env.USERPROFILE;
  const path = flags.notes ?? (env[notes.name] || (home && `${home}/.tonado/notes.age`));
  if (!path) reader.addError(notes.name, "is required: there is no home directory to keep the notes in");
  const [file, direct] = [env[passphraseFile.name], env[passphrase.name]];
  if (file && direct) {
    reader.addError(passphraseFile.name, `conflicts with ${passphrase.name}: set only one of them`);
  }
  reader.throwIfInvalid();
  if (direct) return { path: path!, passphrase: new Secret(direct) };
  if (!file) return { path: path! };
  const text = reader.secretFile(passphraseFile.name, passphraseFile, file, readFile)
    ?.replace(/\r?\n$/, ""); // editors end files with a newline
  if (text === "") {
    reader.addError(passphraseFile.name, `${JSON.stringify(redactValue(passphraseFile, file))} is empty`);
  }
  reader.throwIfInvalid();
  return { path: path!, passphrase: new Secret(text!) };
}

interface PayerConfig {
  readonly mnemonic: Secret<string>;
  readonly version: "v4R2" | "v5R1";
}

export function loadPayerConfig(
  flags: Pick<CommandFlags, "network" | "mnemonicFile" | "walletVersion">,
  env: Environment,
  readFile: ReadFile = readBoundedFile,
): PayerConfig | undefined {
  const { walletMnemonic, walletMnemonicFile } = deploySettings;
  if (!flags.mnemonicFile && !env[walletMnemonic.name] && !env[walletMnemonicFile.name]) return undefined;
  const reader = new SettingsReader(env);
  const mnemonic = reader.payerMnemonic(flags, readFile);
  const version = loadWalletVersion(flags, reader);
  reader.throwIfInvalid();
  return { mnemonic: new Secret(mnemonic!), version: version! };
}

export function loadWalletVersion(
  { walletVersion }: Pick<CommandFlags, "walletVersion">,
  reader: SettingsReader,
): "v4R2" | "v5R1" | undefined {
  return walletVersion ?? reader.read(deploySettings.walletVersion);
}
