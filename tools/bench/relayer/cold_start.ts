/** From the start of the process to a relayer that can be used, and the memory that it takes then. */
import { openKvStore } from "../../../src/store/kv/kv_store.ts";
import { migratePostgres, openPostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { treeFiles } from "../../../src/store/files/tree_files.ts";
import { thisThread } from "../../../src/tree/tree_service.ts";
import { freshDatabase, postgresServer } from "../../../tests/support/services.ts";
import type { Figure, Outcome, Study } from "../study.ts";
import { type RecordedChain, startRecordedChain } from "./recorded_chain.ts";
import { seed, type SeededRelayer, startSeeded } from "./seeded_relayer.ts";

const DEPOSITS = 2 ** 17;
/** Of a walk, whose time grows with their number alone. */
const WALKED = 2 ** 14;
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

/** A start, and what the event loop did until it was ready. */
async function timedStart(
  name: string,
  target: Figure["target"] | undefined,
  start: () => Promise<SeededRelayer>,
): Promise<Figure[]> {
  const relayer = await start();
  const { longest } = await relayer.probe();
  await relayer.close();
  return [
    { name, value: relayer.secondsToReady, unit: "s", ...target ? { target } : {} },
    { name: `${name}: longest block of the event loop`, value: longest, unit: "ms" },
  ];
}

const soon = { of: "value", atMost: 3 } as const;

async function stored(): Promise<Outcome> {
  const chain = await startRecordedChain(DEPOSITS);
  const figures: Figure[] = [];
  await inDirectory(async (directory) => {
    const store = await openKvStore(directory);
    await seed(store, chain);
    await store.close();
    figures.push(...await timedStart("KV, rows only", soon, () => startSeeded(chain, directory)));
    figures.push(
      ...await timedStart("KV, with the last run's tree", soon, () => startSeeded(chain, directory)),
    );
  });
  if (await postgresServer()) {
    await using database = await freshDatabase();
    await migratePostgres(database.url);
    const store = await openPostgresStore(database.url);
    await seed(store, chain);
    await store.close();
    await inDirectory(async (directory) => {
      const start = () => startSeeded(chain, directory, { DATABASE_URL: database.url });
      figures.push(...await timedStart("PostgreSQL, rows only", soon, start));
      figures.push(...await timedStart("PostgreSQL, with the last run's tree", soon, start));
    });
  }
  await chain.close();
  return { figures };
}

async function walked(): Promise<Outcome> {
  const chain = await startRecordedChain(WALKED, { whole: true });
  const figures = await inDirectory((directory) =>
    timedStart("an empty store, every transaction asked for", undefined, () => startSeeded(chain, directory))
  );
  await chain.close();
  const [{ value }] = figures;
  return { figures: [...figures, { name: "deposits", value: WALKED / value, unit: "a second" }] };
}

/** A relayer whose tree is full: its last row and its snapshot are all that it needs to start. */
async function full(): Promise<Outcome> {
  const chain = await startRecordedChain(LEAVES);
  return await inDirectory(async (directory) => {
    await keepLastRow(chain, directory);
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
        { name: "longest block of the event loop meanwhile", value: longest, unit: "ms" },
      ],
    };
  });
}

async function keepLastRow({ pool, tree, newest, relayer }: RecordedChain, directory: string): Promise<void> {
  const id = pool.toRawString();
  const store = await openKvStore(directory);
  await store.restore((async function* () {
    const identity = { network: "localnet" as const, wallet: relayer.address.toRawString() };
    yield { kind: "identity" as const, identity };
    yield { kind: "cursor" as const, pool: id, cursor: newest };
    const leafIndex = tree.size - 1;
    const deposit = { leafIndex, commitment: tree.leaf(leafIndex), timestamp: 0, txHash: newest.hash };
    yield { kind: "deposit" as const, pool: id, deposit };
  })());
  await store.close();
  const header = { pool: id, size: tree.size, cursor: newest };
  await treeFiles(directory).save(
    id,
    await thisThread.pack({ ...header, levels: tree.levels, times: new Uint32Array(tree.size) }),
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
    about: "From the start of the process until `/readyz` says so; from the sources, over a recorded chain.",
    run: stored,
  },
  {
    id: "start-walk",
    title: "Start to ready from an empty store, 2^14 deposits on chain",
    about:
      "The endpoint is a recorded chain in a process of its own, and answers at once: a public one allows a page of 100 a second, or ten. 2^17 deposits take eight times as long.",
    run: walked,
  },
  {
    id: "memory",
    title: "A relayer with 2^20 leaves",
    about: "Every page of `/tree/commitments` was asked for once, so that all of them are encoded.",
    run: full,
  },
];
