/** Starts a headless Chromium that ends with this process. */
import { fileURLToPath } from "node:url";
import puppeteer, { type Browser, type LaunchOptions } from "puppeteer-core";

const LAUNCHER = fileURLToPath(new URL("ending_with_parent.sh", import.meta.url));
const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking"];

/** Starts a browser. @param program its path */
export function launchBrowser(program: string, options: LaunchOptions = {}): Promise<Browser> {
  return puppeteer.launch({
    ...options,
    executablePath: LAUNCHER,
    env: { ...Deno.env.toObject(), TONADO_TEST_PROGRAM: program },
    args: [...ARGUMENTS, ...options.args ?? []],
  });
}
