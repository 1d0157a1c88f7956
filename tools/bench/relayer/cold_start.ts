/** From the start of the process to a relayer that can be used, and the memory that it takes then. */
import { Secret } from "../../../src/core/secret.ts";
import { treeKey } from "../../../src/relay/tree_snapshot.ts";
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { migratePostgres, openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { treeFiles } from "../../../src/store/files/tree_files.ts";
import { thisThread } from "../../../src/tree/tree_service.ts";
import { freshDatabase, postgresServer } from "../../../tests/support/services.ts";
import { storedTime } from "../../../tests/support/stored_deposits.ts";
import { median } from "../section.ts";
import { type Figure, NEVER_BLOCKED, type Outcome, type Study } from "../study.ts";
import { type RecordedChain, startRecordedChain } from "./recorded_chain.ts";
import { seed, type SeededRelayer, startSeeded } from "./seeded_relayer.ts";
import { LARGEST_SNAPSHOT } from "../../../src/tree/snapshot.ts";

const DEPOSITS = 2 ** 17;
const ROUNDS = 3;
const LEAVES = 2 ** 20;
const PAGE = 10_000;

async function inDirectory<T>(act: (directory: string) => Promise<T>): Promise<T> {
  const directory = await Deno.makeTempDir({ prefix: "tonado-bench-" });
  try {
    return await act(directory);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** What a start took, and what the event loop did until the relayer was ready. */
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
    { name, value: median(starts.map(({ seconds }) => seconds)), unit: "s", ...target ? { target } : {} },
    {
      name: `${name}: longest block of the event loop`,
      value: Math.max(...starts.map(({ longest }) => longest)),
      unit: "ms",
      target: NEVER_BLOCKED,
    },
  ];
}

const SOON = { of: "value", atMost: 3 } as const;

async function stored(): Promise<Outcome> {
  const chain = await startRecordedChain(DEPOSITS);
  const figures: Figure[] = [];
  await inDirectory(async (directory) => {
    const store = await openKvStore(directory);
    await seed(store, chain);
    await store.close();
    figures.push(...await twoStarts("KV", chain, directory));
  });
  if (await postgresServer()) {
    await using database = await freshDatabase();
    await migratePostgres(database.url);
    const store = await openPostgresStore(database.url);
    await seed(store, chain);
    await store.close();
    await inDirectory(async (directory) => {
      figures.push(...await twoStarts("PostgreSQL", chain, directory, { DATABASE_URL: database.url }));
    });
  }
  await chain.close();
  return { figures };
}

/** Starts without a tree's file, each followed by one with the file that it left. */
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
      starts.push(await timed(() => startSeeded(chain, directory, env)));
    }
  }
  return [
    ...startFigures(`${store}, rows only`, withoutTree, SOON),
    ...startFigures(`${store}, with the last run's tree`, withTree, SOON),
  ];
}

async function walked(): Promise<Outcome> {
  const chain = await startRecordedChain(DEPOSITS, { whole: true });
  const start = await inDirectory((directory) => timed(() => startSeeded(chain, directory)));
  await chain.close();
  return {
    figures: [
      ...startFigures("an empty store, every transaction asked for", [start]),
      { name: "deposits", value: DEPOSITS / start.seconds, unit: "a second" },
    ],
  };
}

/** A relayer whose tree is full. */
async function full(): Promise<Outcome> {
  const chain = await startRecordedChain(LEAVES);
  return await inDirectory(async (directory) => {
    await keep(chain, directory);
    const relayer = await startSeeded(chain, directory);
    const started = (await relayer.probe()).rss;
    await readAll(chain, relayer);
    const { rss, longest } = await relayer.probe();
    await relayer.close();
    await chain.close();
    return {
      figures: [
        { name: "to ready", value: relayer.secondsToReady, unit: "s" },
        { name: "resident memory, ready", value: started / 1e6, unit: "MB" },
        {
          name: "resident memory, when every page was served",
          value: rss / 1e6,
          unit: "MB",
          target: { of: "value", atMost: 400 },
        },
        {
          name: "longest block of the event loop meanwhile",
          value: longest,
          unit: "ms",
          target: NEVER_BLOCKED,
        },
      ],
    };
  });
}

/** All rows, and the tree as a relayer that stopped has left it. */
async function keep(chain: RecordedChain, directory: string): Promise<void> {
  const store = await openKvStore(directory);
  await seed(store, chain);
  await store.close();
  const { size, levels } = chain.tree;
  const times = Uint32Array.from({ length: size }, (_, leafIndex) => storedTime(leafIndex));
  const key = treeKey(new Secret(chain.relayer.mnemonic));
  const pool = chain.pool.toRawString();
  await treeFiles(directory, key, LARGEST_SNAPSHOT).save(
    pool,
    await thisThread.pack({ pool, size, levels, times }, key),
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
      `From the start of the process until \`/readyz\` says so; from the sources, over a recorded chain. Of ${ROUNDS} rounds the median, of blocks of the event loop the longest.`,
    builds: ["wide"],
    run: stored,
  },
  {
    id: "start-walk",
    title: "Start to ready from an empty store, 2^17 deposits on chain",
    about:
      "Once. The endpoint is a recorded chain in a process of its own, and answers at once: a public one allows a page of 100 a second, or ten.",
    builds: ["wide"],
    run: walked,
  },
  {
    id: "memory",
    title: "A relayer with 2^20 leaves",
    about: "Once. Every page of `/tree/commitments` was asked for, so that as many are kept as may be.",
    builds: ["wide"],
    run: full,
  },
];
