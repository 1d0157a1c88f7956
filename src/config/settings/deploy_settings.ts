import { oneOf, type Setting } from "./setting.ts";
import { serveSettings } from "./serve_settings.ts";

export const deploySettings = {
  walletMnemonic: {
    ...serveSettings.walletMnemonic,
    name: "TONADO_WALLET_MNEMONIC",
    help: "24-word mnemonic of the paying wallet",
  },
  walletMnemonicFile: {
    ...serveSettings.walletMnemonicFile,
    name: "TONADO_WALLET_MNEMONIC_FILE",
    help: "file that holds the mnemonic, instead of TONADO_WALLET_MNEMONIC",
  },
  walletVersion: { ...serveSettings.walletVersion, name: "TONADO_WALLET_VERSION" },
  burnOwner: {
    name: "TONADO_BURN_OWNER",
    help: "1: deploy without an owner, as with --burn-owner",
    parse: oneOf(["1"]),
  },
  indexerUrl: serveSettings.indexerUrl,
  indexerApiKey: serveSettings.indexerApiKey,
  indexerRequestsPerSecond: serveSettings.indexerRequestsPerSecond,
} as const satisfies Record<string, Setting<unknown>>;
