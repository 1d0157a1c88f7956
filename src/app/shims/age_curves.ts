/** Replaces unused curves of age in the app's build. Note stores use only X25519 keys and passphrases. */
function unsupported(): never {
  throw new Error("note stores are encrypted for X25519 keys and passphrases only");
}

const kem = { getPublicKey: unsupported, encapsulate: unsupported, decapsulate: unsupported };

export const MLKEM768X25519 = kem;
export const MLKEM768P256 = kem;
export const p256 = {
  lengths: { publicKeyUncompressed: 65 },
  Point: { fromBytes: unsupported },
  utils: { randomSecretKey: unsupported },
  getPublicKey: unsupported,
  getSharedSecret: unsupported,
};
