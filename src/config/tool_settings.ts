/** The settings of the commands that deploy and audit, beside their flags. One record each: the only list of them. */
import { oneOf, type Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** Every setting, by the name it has in the code. */
export const toolSettings = {
  walletMnemonic: {
    ...settings.walletMnemonic,
    name: "TONADO_WALLET_MNEMONIC",
    help: "24-word mnemonic of the wallet that pays",
  },
  walletMnemonicFile: {
    ...settings.walletMnemonicFile,
    name: "TONADO_WALLET_MNEMONIC_FILE",
    help: "file that holds the mnemonic, instead of TONADO_WALLET_MNEMONIC",
  },
  walletVersion: { ...settings.walletVersion, name: "TONADO_WALLET_VERSION" },
  burnOwner: {
    name: "TONADO_BURN_OWNER",
    help: "1: deploy without an owner, as with --burn-owner",
    parse: oneOf(["1"]),
  },
  indexerUrl: settings.indexerUrl,
  indexerApiKey: settings.indexerApiKey,
} as const satisfies Record<string, Setting<unknown>>;
