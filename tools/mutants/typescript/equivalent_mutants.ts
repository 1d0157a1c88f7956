/** Mutants of `src/` that no test can distinguish from the source, with the reason. */
import type { EquivalentMutant } from "../tolk/equivalent_mutants.ts";

const equivalentTypeScriptMutants: readonly EquivalentMutant[] = [
  {
    file: "relay/indexer/catch_up.ts",
    shows: /let end = i \+ 1; => let end = i \+ 0;/,
    reason: "the loop below passes the event at i, which has its own logical time",
  },
  {
    file: "relay/wallet/balance.ts",
    shows: /BALANCE_POLL_MS = 30_000; => .* (?:29999|30001);/,
    reason: "one millisecond more or less between two polls",
  },
  {
    file: "relay/polling_intervals.ts",
    shows: /maxRetryMs: 30_000, => maxRetryMs: (?:29999|30001),/,
    reason: "one millisecond more or less between two attempts",
  },
  {
    file: "relay/indexer/history_verifier.ts",
    shows:
      /if \(!\(this\.#tree instanceof SettledTree\) \|\| leaves.* => if \(leaves\.length === 0\) return true;/,
    reason: "the root of a version 1 pool covers its leaves: the second call returns true",
  },
  {
    file: "client/deposit/deposit_payer.ts",
    shows: /leafIndex >= leafIndex && !stale\) \{ => if \(event\.leafIndex >= leafIndex\) \{/,
    reason: "a payer that was asked to stop is asked again, which does nothing",
  },
  {
    file: "client/withdrawal/withdrawal_wait.ts",
    shows: /const time = timeoutMs > 0 => const time = timeoutMs > 1/,
    reason: "another text for a wait of one millisecond, which no caller has",
  },
  {
    file: "config/settings/setting.ts",
    shows: /each !== undefined && env\[each\]\).* => .*\.find\(\(each\) => env\[each\]\)/,
    reason: "no variable of the environment is named undefined",
  },
  {
    file: "store/kv/archive.ts",
    shows:
      /if \(journal\.value === null \|\| boc\.value === null\) return undefined; => if \((?!journal.*boc)/,
    reason: "the two values are written and deleted in one commit: both are null, or neither",
  },
  {
    file: "store/kv/payment_logs.ts",
    shows: /key\(a\) < key\(b\).* => .*key\(a\) <= key\(b\)/,
    reason: "no two payments of a pool have the same nullifier hash, so no two keys are equal",
  },
  {
    file: "store/postgres/database.ts",
    shows: /maxConnections: 10, .* => .*maxConnections: (?:9|11),/,
    reason: "a size that is chosen with room: one connection more or less changes the throughput only",
  },
  {
    file: "store/postgres/database.ts",
    shows: /TIMEOUT_MS = 3_600_000; => .* 3(?:600001|599999);/,
    reason: "a bound on one statement of an hour, kept with room",
  },
  {
    file: "store/postgres/postgres_store.ts",
    shows: /LEASE_RESPONSE_TIMEOUT_MS = 2_000; => .* (?:2001|1999);/,
    reason: "one millisecond more or less until a silent database counts as unavailable",
  },
  {
    file: "store/postgres/lease.ts",
    shows: /^this\.#fence = undefined; => ;$/,
    reason: "the database compares the fence again in every later call; only release() depends on it",
  },
  {
    file: "ops/ceremony/section_file.ts",
    shows: /source\.read\(offset, 12\)\); => .*source\.read\(offset, 13\)\);/,
    reason: "one byte more is read, and not used",
  },
  {
    file: "ops/deploy/send_deployment.ts",
    shows: /\(a, b\) => a > b \? a : b, => \(a, b\) => a >= b \? a : b,/,
    reason: "the larger of two equal amounts is either of them",
  },
  {
    file: "ops/audit/v2/rebuilt_pool.ts",
    shows: /length >= 2 \* ROOT_WINDOW\) .* => .*length >= [13] \* ROOT_WINDOW\)/,
    reason: "how many older roots are kept until they are removed: only the last ROOT_WINDOW are used",
  },
  {
    file: "tree/leaf_batcher.ts",
    shows: /rest\.length > 0;.* => .*rest\.length > 1;/,
    reason: "a leaf has 32 bytes, so that no rest has one byte",
  },
  {
    file: "tree/snapshot_codec.ts",
    shows: /bytes\.length < start \+ HMAC_BYTES.* => .*bytes\.length < start - HMAC_BYTES/,
    reason: "shorter bytes have no HMAC that holds, or no header: the later checks refuse both",
  },
  {
    file: "prover/msm_shares.ts",
    shows: /offset \+= part\.length; => offset = part\.length;/,
    reason: "a sum is split into at most two parts: the second one begins at the length of the first",
  },
  {
    file: "ops/rescue/rebuilt_state.ts",
    shows: /GENERATION_ROOTS \+ 2 \* GENERATION_ROOTS; => .* \+ 3 \* GENERATION_ROOTS;/,
    reason: "one more generation of roots is computed, which the log of two generations drops",
  },
  {
    file: "localnet/api/toncenter_methods.ts",
    shows: /"seqno" : "unixtime", -1\); => .*"unixtime", -[02]\);/,
    reason: "a time that is not given stands for one before the first block, as 0 and -2 are as well",
  },
  {
    file: "client/notes/note_store.ts",
    shows: /MAX_NOTE_STORE_BYTES = 128_000_000; => .* 12(?:7999999|8000001);/,
    reason: "a bound of memory, chosen with room: one byte more or less",
  },
  {
    file: "prover/locations.ts",
    shows: /length !== null && Number\(length\) > 0 .* => const total = Number\(length\) > 0/,
    reason: "Number(null) is 0",
  },
  {
    file: "http/listener.ts",
    shows: /initialMs: 100, maxMs: 5_000 \}; => .* (?:99|101), maxMs/,
    reason: "one millisecond more or less until a listener is reopened",
  },
  {
    file: "http/responses/response_backpressure.ts",
    shows: /CHUNK_BYTES = 128 \* 1024; => .*CHUNK_BYTES = (?:12[79] \* 1024|128 \* 102[35]);/,
    reason: "a bound of memory, chosen with room: the response has the same bytes",
  },
  {
    file: "ops/audit/audit.ts",
    shows: /state !== "active" \|\| !code \|\| !data\) \{ => .*"active" \|\| !(?:code|data)\) \{/,
    reason: "an active account has code and data; the condition narrows the types",
  },
  {
    file: "ops/keys/pool_keys.ts",
    shows: /refs\.length === 0 && POINT_BITS.* => .*refs\.length === 0 \|\| POINT_BITS/,
    reason: "the set is only searched for points, and no cell with references has the bits of one",
  },
  {
    file: "ops/rescue/thaw_helper.ts",
    shows: /packed\.push\(\{ bytes: 0, cells.* => .*packed\.push\(\{ bytes: 1, cells/,
    reason: "a piece holds one byte less, of a bound that leaves room",
  },
];

/** Returns why a mutant is equivalent, or undefined. */
export function equivalenceReason({ file, shows }: { file: string; shows: string }): string | undefined {
  return equivalentTypeScriptMutants.find((mutant) => file.endsWith(mutant.file) && mutant.shows.test(shows))
    ?.reason;
}
