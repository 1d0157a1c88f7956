/** The settings of the commands that keep notes and move money, beside their flags. One record each: the only list of them. */
import { type Setting, text } from "./setting.ts";
import { toolSettings } from "./tool_settings.ts";

const { walletMnemonic, walletMnemonicFile, walletVersion, indexerUrl, indexerApiKey } = toolSettings;

/** Every setting, by the name it has in the code. */
export const clientSettings = {
  notes: {
    name: "TONADO_NOTES",
    help: "the note store, a file; without it ~/.tonado/notes.age",
    parse: text,
  },
  passphraseFile: {
    name: "TONADO_PASSPHRASE_FILE",
    help: "file that holds the note store's passphrase; without it you are asked",
    parse: text,
  },
  passphrase: {
    name: "TONADO_PASSPHRASE",
    help: "the passphrase itself, where a file cannot be",
    parse: text,
    secret: true,
  },
  walletMnemonicFile,
  walletMnemonic,
  walletVersion,
  indexerUrl,
  indexerApiKey,
} as const satisfies Record<string, Setting<unknown>>;
