/** The public keys of every localnet. Anyone can take money sent to them on a live network. */
import type { WalletVersion } from "../ton/wallet/wallet.ts";

export interface DevelopmentKey {
  readonly mnemonic: string;
  readonly version: WalletVersion;
  /** Derived from the other two: deriving six keys at startup would take 0.2 s each. */
  readonly address: string;
}

export const deployerKey: DevelopmentKey = {
  version: "v5R1",
  address: "0:9b30106effd3386b9669bfeeea3ed3168ffea0c2c2a4e9396c519f6d927a93d0",
  mnemonic: "exhaust orphan parrot spawn order monster prosper joy write glass sentence example " +
    "slot song before auto again material unlock gadget organ silent snake avoid",
};

export const relayerKey: DevelopmentKey = {
  version: "v4R2",
  address: "0:22c5e7896d8d76653cd8ddc8d424287994f90c29b959fa711183acc88765c0c7",
  mnemonic: "project use slow view just stable area topple cave spread fuel broom " +
    "evil puzzle jump acid harvest hair trophy whisper blossom fatal slice awful",
};

export const userKeys: readonly DevelopmentKey[] = [
  {
    version: "v4R2",
    address: "0:5073c4489e612b1efe8b17550b1183853f97702a5b9bab820fe66d05b0fa4cc5",
    mnemonic: "trouble thrive insane valley slim razor sick purpose wear patch elegant oak " +
      "few armed fetch parrot chase mountain damage health conduct fatal grocery anxiety",
  },
  {
    version: "v5R1",
    address: "0:c1c8edf4e8c07adff1164b14c2d2443ca7f85ca4d6f9d151c1c7667ce7a8cc25",
    mnemonic: "junk pool enforce news surge general dad chat laundry friend family explain " +
      "tunnel banana echo april bounce man rate now lion injury potato chaos",
  },
  {
    version: "v4R2",
    address: "0:b1614daa37f170c60169a62f56f8753aefd0052b4e74c021b18c30dfea0b5272",
    mnemonic: "cinnamon color release hip host history yellow bulb label sweet husband weapon " +
      "prison quarter marble brain finger sand finish truly chat income member assist",
  },
  {
    version: "v5R1",
    address: "0:505bce0ab940110ba475cb5e49cd19d383d5bfe9061470bac91926e25ea24e6f",
    mnemonic: "spirit mammal panther brief knee lesson buyer bubble easy favorite laugh real " +
      "opinion fury collect name witness heavy prevent ozone all chief truck soap",
  },
];
