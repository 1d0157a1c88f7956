/** The settings of an open store. */
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../../core/errors/problem.ts";
import { Secret } from "../../core/text/secret.ts";
import { toProblem } from "../flows/machine.ts";
import { allowedAddresses, applyConnections, connectionsOf, formOf } from "../flows/settings.ts";
import { changePassphrase } from "../services/change_passphrase.ts";
import { readStore } from "../services/note_book.ts";
import { SettingsView } from "../views/settings.tsx";
import type { AppVersions } from "../ports.ts";
import type { AppPorts } from "./app_ports.ts";
import { prepareLanguage } from "./language.ts";
import { eraseEverything } from "./erase_everything.ts";

export function SettingsScreen(
  { ports, versions, onErased, onLock }: {
    readonly ports: AppPorts;
    readonly versions: AppVersions | undefined;
    readonly onErased: () => void;
    readonly onLock: () => void;
  },
) {
  const { config, passkeys, place } = ports;
  const [passkey, setPasskey] = useState<"none" | "available" | "enrolled">("none");
  useEffect(() => {
    passkeys.isEnrolled().then(async (isEnrolled) => {
      setPasskey(isEnrolled ? "enrolled" : await passkeys.isAvailable() ? "available" : "none");
    }, () => {});
  }, []);
  const settings = ports.settings.value;
  const erase = async () => {
    try {
      await eraseEverything(ports);
    } catch (error) {
      return toProblem(error);
    }
    onErased();
    ports.go("#/");
  };
  return (
    <SettingsView
      settings={settings}
      connections={connectionsOf(settings, config)}
      served={formOf(config)}
      allowed={allowedAddresses(config)}
      network={config.network}
      versions={versions ?? { running: "…" }}
      passkey={passkey}
      onConnections={(form) => {
        const applied = applyConnections(form, config);
        if ("faults" in applied) return applied.faults;
        ports.settings.change(applied.change);
        return {};
      }}
      onPassphrase={(current, next) => replacePassphrase(ports, current, next, onLock)}
      onChange={(change) => ports.settings.change(change)}
      onLanguage={async (language) => {
        const problem = await prepareLanguage(language);
        if (problem === undefined) ports.settings.change({ language });
        return problem;
      }}
      onBackup={() => ports.go("#/backup")}
      onRestore={() => ports.go("#/restore")}
      onPasskey={async (text) => {
        const problem = await enrollPasskey(ports, text);
        if (problem === undefined) setPasskey("enrolled");
        return problem;
      }}
      onRemovePasskey={async () => {
        try {
          await passkeys.remove();
        } catch (error) {
          return toProblem(error);
        }
        setPasskey("available");
      }}
      onErase={erase}
      onAcceptVersion={(id) => void place.acceptWaiting(id)}
    />
  );
}

/** Enrolls a passkey, after checking that the passphrase opens the store. */
async function enrollPasskey({ context, passkeys }: AppPorts, text: string): Promise<Problem | undefined> {
  try {
    const passphrase = new Secret(text);
    (await context.vaults.open(await readStore(context.files), passphrase)).close();
    await passkeys.enroll(passphrase);
  } catch (error) {
    return toProblem(error);
  }
}

/** Changes the passphrase. The passkey and the backup of the old passphrase must then be renewed. */
async function replacePassphrase(
  { context, passkeys, settings, go }: AppPorts,
  current: string,
  next: string,
  onLock: () => void,
): Promise<Problem | undefined> {
  try {
    // First, so that a page that ends meanwhile does not call a backup of the old passphrase proven.
    const forgetProof = () => settings.change({ provenSeed: undefined });
    await changePassphrase(context, new Secret(current), new Secret(next), forgetProof);
  } catch (error) {
    return toProblem(error);
  }
  await passkeys.remove().catch(() => {}); // an old passkey fails at its next use, and the app asks for the passphrase
  go("#/");
  onLock();
}
