import { Command, Option } from "commander";
import { beaconExponents } from "../../../ops/ceremony/transcript/transcript.ts";
import type { CliContext } from "../../context.ts";
import { addOutputOptions, type OutputOptions } from "../../output/print.ts";
import {
  parseBeaconExponent,
  parseBeaconRound,
  parseBeaconValue,
  parseContributorName,
} from "./arguments.ts";
import { rehearse, type RehearseOptions } from "./rehearse.ts";
import {
  announce,
  type AnnounceOptions,
  beacon,
  type BeaconOptions,
  contribute,
  type ContributeOptions,
  exportCurrentKeys,
  finalize,
  type FinalizeOptions,
  init,
  type InitOptions,
  keygen,
  type KeysOptions,
  verify,
  type VerifyOptions,
} from "./steps.ts";

const inputFlags = [
  ["--powers <file>", "phase 1: powers of tau over BLS12-381, prepared for phase 2 (.ptau)"],
  ["--circuits <directory>", "folder of the constraint systems, as `deno task circuits` writes them"],
] as const;
const planFlag = [
  "--plan <file>",
  "the initial keys and contributors that are required; default: artifacts/ceremony.json of this release",
] as const;

export function ceremonyCommand(context: CliContext): Command {
  return new Command("ceremony")
    .description(
      "generate the keys of a pool version's two circuits with several contributors, so that no one can forge proofs",
    )
    .addCommand(initCommand(context))
    .addCommand(keygenCommand(context))
    .addCommand(announceCommand(context))
    .addCommand(contributeCommand(context))
    .addCommand(verifyCommand(context))
    .addCommand(beaconCommand(context))
    .addCommand(finalizeCommand(context))
    .addCommand(exportCommand(context))
    .addCommand(rehearseCommand(context))
    .addHelpText(
      "after",
      "\nThe keys are secure if at least one contributor was honest. docs/ceremony.md is the runbook.\n\n" +
        "Examples:\n  tonado ceremony contribute ceremony --name Alice\n" +
        "  tonado ceremony verify ceremony --full --powers bls12381_14.ptau --circuits dist/circuits",
    );
}

function subcommand(name: string, description: string, examples: string): Command {
  const command = new Command(name).description(description)
    .argument("<directory>", "the ceremony's folder");
  return addOutputOptions(command, "print one JSON object")
    .addHelpText("after", `\nExamples:\n${examples}`);
}

/** The other steps read the version from the transcript. */
function poolVersionOption(): Option {
  return new Option("--pool-version <n>", "1 for withdraw and deposit, 2 for withdraw2 and settle16")
    .choices(["1", "2"]).default(1).argParser((text) => Number(text));
}

function requireInputFlags(command: Command): Command {
  return inputFlags.reduce((extended, [flag, help]) => extended.requiredOption(flag, help), command);
}

function initCommand(context: CliContext): Command {
  return requireInputFlags(subcommand(
    "init",
    "check phase 1, create the initial keys and start the transcript; takes minutes",
    "  tonado ceremony init ceremony --powers bls12381_14.ptau --circuits dist/circuits\n" +
      "  tonado ceremony init ceremony2 --pool-version 2 --powers bls12381_14.ptau --circuits dist/circuits",
  )).addOption(poolVersionOption()).action((directory: string, options: InitOptions) =>
    init(context, directory, options)
  );
}

function keygenCommand(context: CliContext): Command {
  return new Command("keygen").description("create a key to sign a contribution with")
    .argument("<file>", "a new file for the private key, in PEM")
    .option("--json", "print one JSON object")
    .option("--quiet", "print only the public key")
    .addHelpText("after", "\nExamples:\n  tonado ceremony keygen alice.pem")
    .action((file: string, options: OutputOptions) => keygen(context, file, options));
}

function announceCommand(context: CliContext): Command {
  const { min, max } = beaconExponents;
  return subcommand(
    "announce",
    "name the beacon: a public source and a round in the future; a contribution must follow",
    '  tonado ceremony announce ceremony --source "drand quicknet" --round 25000000 --exponent 20',
  )
    .requiredOption("--source <name>", "who will publish the value", parseContributorName)
    .requiredOption("--round <n>", "round or block height of the value", parseBeaconRound)
    .option("--exponent <n>", `the value is hashed 2^n times, ${min} to ${max}`, parseBeaconExponent, 20)
    .action((directory: string, options: AnnounceOptions) => announce(context, directory, options));
}

function contributeCommand(context: CliContext): Command {
  return subcommand(
    "contribute",
    "check the ceremony so far and add a contribution to both keys",
    "  tonado ceremony contribute ceremony --name Alice\n" +
      "  head -c 64 /dev/random > dice && tonado ceremony contribute ceremony --name Alice --entropy-file dice",
  )
    .requiredOption("--name <name>", "name of the contributor in the transcript", parseContributorName)
    .option("--entropy-file <file>", "your own entropy, any bytes; default: type it at the terminal")
    .option("--signing-key <file>", "sign with this Ed25519 key; see `tonado ceremony keygen`")
    .action((directory: string, options: ContributeOptions) => contribute(context, directory, options));
}

function verifyCommand(context: CliContext): Command {
  const command = subcommand(
    "verify",
    "verify the whole ceremony; exits with 1 if a check fails",
    "  tonado ceremony verify ceremony --full --powers bls12381_14.ptau --circuits dist/circuits\n" +
      "  tonado ceremony verify ceremony --since my-own-transcript.json",
  );
  return inputFlags.reduce((extended, [flag, help]) => extended.option(flag, help), command)
    .option("--full", "build the initial keys again; requires --powers and --circuits")
    .option("--since <file>", "an earlier transcript: this one must start with it")
    .option("--beacon-value <hex>", "the value that the beacon's source published", parseBeaconValue)
    .option(...planFlag)
    .action((directory: string, options: VerifyOptions) => verify(context, directory, options));
}

function beaconCommand(context: CliContext): Command {
  return subcommand(
    "beacon",
    "close the ceremony with the published value of the announced round",
    "  tonado ceremony beacon ceremony --value 00000000000000000001c0f1e2...",
  )
    .requiredOption("--value <hex>", "the published value, 8 to 255 bytes", parseBeaconValue)
    .action((directory: string, options: BeaconOptions) => beacon(context, directory, options));
}

function finalizeCommand(context: CliContext): Command {
  return requireInputFlags(subcommand(
    "finalize",
    "verify the whole ceremony, then write keys, pins, transcript and verifiers for a checkout",
    "  tonado ceremony finalize ceremony --powers bls12381_14.ptau --circuits dist/circuits --output keys",
  ))
    .requiredOption(
      "--output <directory>",
      "folder for the files, laid out as a checkout; existing files are kept",
    )
    .option("--few-contributors", "accept too few contributors; the keys are labelled weak permanently")
    .option(...planFlag)
    .action((directory: string, options: FinalizeOptions) => finalize(context, directory, options));
}

function exportCommand(context: CliContext): Command {
  return subcommand(
    "export",
    "write the current proving and verification keys, whether the ceremony is closed or not",
    "  tonado ceremony export ceremony --output keys",
  )
    .requiredOption("--output <directory>", "folder for the four files; existing files are kept")
    .action((directory: string, options: KeysOptions) => exportCurrentKeys(context, directory, options));
}

function rehearseCommand(context: CliContext): Command {
  return new Command("rehearse")
    .description(
      "rehearse a whole ceremony on tiny circuits in seconds; the keys are insecure and fit no pool",
    )
    .option("--output <directory>", "keep the ceremony, its inputs and its keys in this new folder")
    .addOption(poolVersionOption())
    .option("--json", "print one JSON object")
    .option("--quiet", "print nothing; the exit code says whether every check passed")
    .addHelpText(
      "after",
      "\nPowers of tau are made from public secrets. Without --output, nothing is written.\n\n" +
        "Examples:\n  tonado ceremony rehearse\n  tonado ceremony rehearse --pool-version 2 --output rehearsal",
    )
    .action((options: RehearseOptions) => rehearse(context, options));
}
