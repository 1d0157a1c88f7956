/** The client on Node: the task comes as an argument, and what came of it goes to standard output. */
import process from "node:process";
import { depositAndProve } from "./client.js";

console.log(JSON.stringify(await depositAndProve(JSON.parse(process.argv[2]))));
