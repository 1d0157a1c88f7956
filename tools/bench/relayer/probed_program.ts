/** Runs the program with a probe of its event loop. */
import { main } from "../../../main.ts";
import { serveProbe } from "./probe_server.ts";

serveProbe();
await main();
