/** The client on Node: reads its task from an argument, and writes its result to standard output. */
import process from "node:process";
import { depositAndProve } from "./client.js";

console.log(JSON.stringify(await depositAndProve(JSON.parse(process.argv[2]))));
