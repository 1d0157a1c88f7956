/** The program with its event loop watched. */
import { main } from "../../../main.ts";
import { serveProbe } from "./probe_server.ts";

serveProbe();
await main();
