/** A device with a fingerprint reader, as the browser simulates it. */
import type { Page } from "puppeteer-core";

/** Adds an authenticator whose owner is present and verified, with the PRF extension that passkeys here need. */
export async function addAuthenticator(page: Page) {
  const session = await page.createCDPSession();
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      ctap2Version: "ctap2_1",
      transport: "internal",
      hasPrf: true,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { session, authenticatorId };
}
