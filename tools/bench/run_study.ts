/** Runs one study in this process and prints its outcome as JSON: `run_study.ts <id> <build>`. */
import type { Build } from "./study.ts";
import { studies } from "./all_studies.ts";

const [id, build] = Deno.args;
const study = studies.find((study) => study.id === id);
if (study === undefined) throw new Error(`no study is called ${id}`);
const outcome = await study.run(build as Build);
console.log(JSON.stringify(outcome));
Deno.exit(0); // a peer may have left threads
