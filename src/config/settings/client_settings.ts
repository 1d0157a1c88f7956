import { anyText, type Setting } from "./setting.ts";
import { deploySettings } from "./deploy_settings.ts";

const { walletMnemonic, walletMnemonicFile, walletVersion } = deploySettings;
const { indexerUrl, indexerApiKey, indexerRequestsPerSecond } = deploySettings;

export const clientSettings = {
  notes: {
    name: "TONADO_NOTES",
    help: "file of the note store; unset: ~/.tonado/notes.age",
    parse: anyText,
  },
  passphraseFile: {
    name: "TONADO_PASSPHRASE_FILE",
    help: "file that holds the note store's passphrase; unset: you are asked for it",
    parse: anyText,
  },
  passphrase: {
    name: "TONADO_PASSPHRASE",
    help: "the passphrase itself, if it cannot be in a file",
    parse: anyText,
    secret: true,
  },
  walletMnemonicFile,
  walletMnemonic,
  walletVersion,
  indexerUrl,
  indexerApiKey,
  indexerRequestsPerSecond,
} as const satisfies Record<string, Setting<unknown>>;
