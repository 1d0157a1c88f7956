import { eraseStore } from "../services/store_service.ts";
import type { AppPorts } from "./app_ports.ts";

/** Erases the store, settings and caches, and closes the store in other tabs. Throws `note_store_in_use`. */
export async function eraseEverything({ context, settings, tabs }: AppPorts): Promise<void> {
  await eraseStore(context);
  settings.reload();
  tabs.notify("store_erased");
}
