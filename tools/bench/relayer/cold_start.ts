/** Measures the time from the start of the process to a ready relayer, and its memory then. */
import { Secret } from "../../../src/core/text/secret.ts";
import { deriveSnapshotKey } from "../../../src/relay/indexer/tree/tree_snapshot.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { migratePostgres, openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { createTreeSnapshotFiles } from "../../../src/store/files/tree_snapshot_files.ts";
import { inlineTreeService } from "../../../src/tree/tree_service.ts";
import { freshDatabase, postgresServer } from "../../../testkit/servers/services.ts";
import { depositTime } from "../../../testkit/relayer/deposit_rows.ts";
import { blockFigure, type Figure, figure, type Outcome, type Study } from "../study.ts";
import { type RecordedChain, startRecordedChain } from "./recorded_chain.ts";
import { type SeededRelayer, seedStore, startSeededRelayer } from "./seeded_relayer.ts";
import { MAX_SNAPSHOT_BYTES } from "../../../src/tree/snapshot_codec.ts";
import { withTempDirectory } from "../../../testkit/programs/temp_directory.ts";

const DEPOSITS = 2 ** 17;
const ROUNDS = 3;
const LEAVES = 2 ** 20;
const PAGE = 10_000;

/** The cost of a start, and the delays of the event loop until the relayer was ready. */
interface Start {
  readonly seconds: number;
  readonly longest: number;
}

async function timed(start: () => Promise<SeededRelayer>): Promise<Start> {
  const relayer = await start();
  const { longest } = await relayer.probe();
  await relayer.close();
  return { seconds: relayer.secondsToReady, longest };
}

function startFigures(name: string, starts: readonly Start[], target?: Figure["target"]): Figure[] {
  return [
    figure(name, starts.map(({ seconds }) => seconds), "s", target && { target }),
    blockFigure(`${name}: longest block of the event loop`, starts.map(({ longest }) => longest)),
  ];
}

const READY_TARGET = { of: "value", atMost: 3 } as const;

async function measureStoredStart(): Promise<Outcome> {
  const chain = await startRecordedChain(DEPOSITS);
  const figures: Figure[] = [];
  await withTempDirectory(async (directory) => {
    await seedStore(openKvStore(directory), chain);
    figures.push(...await twoStarts("KV", chain, directory));
  });
  if (await postgresServer()) {
    await using database = await freshDatabase();
    await migratePostgres(database.url);
    await seedStore(openPostgresStore(database.url), chain);
    await withTempDirectory(async (directory) => {
      figures.push(...await twoStarts("PostgreSQL", chain, directory, { DATABASE_URL: database.url }));
    });
  }
  await chain.close();
  return { figures };
}

/** Starts without a tree snapshot, each followed by a start with the snapshot that it left. */
async function twoStarts(
  store: string,
  chain: RecordedChain,
  directory: string,
  env: Record<string, string> = {},
): Promise<Figure[]> {
  const [withoutTree, withTree]: Start[][] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for await (const { name } of Deno.readDir(directory)) {
      if (name.startsWith("tree-")) await Deno.remove(`${directory}/${name}`);
    }
    for (const starts of [withoutTree, withTree]) {
      starts.push(await timed(() => startSeededRelayer(chain, directory, env)));
    }
  }
  return [
    ...startFigures(`${store}, rows only`, withoutTree, READY_TARGET),
    ...startFigures(`${store}, with the last run's tree`, withTree, READY_TARGET),
  ];
}

async function measureFullScan(): Promise<Outcome> {
  const chain = await startRecordedChain(DEPOSITS, { whole: true });
  const start = await withTempDirectory((directory) => timed(() => startSeededRelayer(chain, directory)));
  await chain.close();
  return {
    figures: [
      ...startFigures("an empty store, every transaction asked for", [start]),
      figure("deposits", DEPOSITS / start.seconds, "a second"),
    ],
  };
}

/** Measures a relayer whose tree is full. */
async function measureFullTreeMemory(): Promise<Outcome> {
  const chain = await startRecordedChain(LEAVES);
  return await withTempDirectory(async (directory) => {
    await storeRowsAndTree(chain, directory);
    const relayer = await startSeededRelayer(chain, directory);
    const started = (await relayer.probe()).rss;
    await readAll(chain, relayer);
    const { rss, longest } = await relayer.probe();
    await relayer.close();
    await chain.close();
    return {
      figures: [
        figure("to ready", relayer.secondsToReady, "s"),
        figure("resident memory, ready", started / 1e6, "MB"),
        figure("resident memory, when every page was served", rss / 1e6, "MB", {
          target: { of: "value", atMost: 400 },
        }),
        blockFigure("longest block of the event loop meanwhile", [longest]),
      ],
    };
  });
}

/** Stores all rows, and the tree as a relayer leaves it when it stops. */
async function storeRowsAndTree(chain: RecordedChain, directory: string): Promise<void> {
  await seedStore(openKvStore(directory), chain);
  const { size, levels } = chain.tree;
  const times = Uint32Array.from({ length: size }, (_, leafIndex) => depositTime(leafIndex));
  const key = deriveSnapshotKey(new Secret(chain.relayer.mnemonic));
  const pool = chain.pool.toRawString();
  await createTreeSnapshotFiles(directory, key, MAX_SNAPSHOT_BYTES).save(
    pool,
    await inlineTreeService.encodeSnapshot({ pool, size, levels, timestamps: times }, key),
  );
}

async function readAll({ pool }: RecordedChain, { url }: SeededRelayer): Promise<void> {
  for (let from: number | null = 0; from !== null;) {
    const query: string = `pool=${encodeURIComponent(pool.toString())}&from=${from}&limit=${PAGE}`;
    from = (await (await fetch(`${url}/tree/commitments?${query}`)).json()).nextFrom;
  }
}

export const coldStartStudies: readonly Study[] = [
  {
    id: "start-stored",
    title: "Start to ready, 2^17 deposits stored",
    about:
      `The time from the start of the process until \`/readyz\` reports ready. The relayer runs from the sources, with a recorded chain as its endpoint. Times are the median of ${ROUNDS} rounds, blocks of the event loop the longest of all.`,
    builds: ["wide"],
    run: measureStoredStart,
  },
  {
    id: "start-walk",
    title: "Start to ready from an empty store, 2^17 deposits on chain",
    about:
      "One run. The endpoint is a recorded chain in another process and answers immediately. A public endpoint allows one request a second, or ten with an API key, each for 100 transactions.",
    builds: ["wide"],
    run: measureFullScan,
  },
  {
    id: "memory",
    title: "A relayer with 2^20 leaves",
    about:
      "One run. Every page of `/tree/commitments` was requested, so the cache of pages is as large as possible.",
    builds: ["wide"],
    run: measureFullTreeMemory,
  },
];
