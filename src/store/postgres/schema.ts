// A released step is never edited. Plain SQL of PostgreSQL 14 without extensions, for managed servers and
// poolers. Field elements are 32 bytes, wide integers numeric, pools raw addresses; times as in `store.ts`.

/** In the form of `server_version_num`. */
export const MIN_SERVER_VERSION = 140_000;

/** Rows of an earlier release or export have no order within one second. The order chosen here is permanent. */
export const LOG_EARLIER_PAYMENTS_SQL = `
  -- Pools of version 1 have a log of payments too.
  insert into pool_log (pool, position, kind, value, settled, tx_hash)
    select pool, row_number() over (partition by pool order by "timestamp", tx_hash, nullifier_hash) - 1,
      'payment', nullifier_hash, 0, tx_hash
    from withdrawals where pool not in (select pool from pool_log);
  `;

/** Step i creates version i + 1. */
export const migrations: readonly string[] = [
  `
  create table deposits (
    pool text not null,
    leaf_index integer not null check (leaf_index >= 0),
    commitment bytea not null check (length(commitment) = 32),
    "timestamp" bigint not null,
    tx_hash text not null,
    primary key (pool, leaf_index),
    unique (pool, commitment)
  );

  create table withdrawals (
    pool text not null,
    nullifier_hash bytea not null check (length(nullifier_hash) = 32),
    fee numeric(78, 0) not null,
    refund numeric(78, 0) not null,
    "timestamp" bigint not null,
    tx_hash text not null,
    primary key (pool, nullifier_hash)
  );

  create table sync_cursor (
    pool text primary key,
    lt numeric(20, 0) not null,
    hash text not null
  );

  create table jobs (
    pool text not null,
    nullifier_hash bytea not null check (length(nullifier_hash) = 32),
    state text not null check (state in ('accepted', 'broadcast', 'confirmed', 'failed', 'expired')),
    query_id numeric(20, 0) not null,
    root bytea not null check (length(root) = 32),
    fee numeric(78, 0) not null,
    refund numeric(78, 0) not null,
    recipient text,
    proof text,
    failures integer not null,
    accepted_at bigint not null,
    not_before bigint,
    attempts integer,
    broadcast_at bigint,
    settled_at bigint,
    seqno bigint,
    message_hash text,
    tx_hash text,
    reason text,
    primary key (pool, nullifier_hash)
  );
  create index jobs_live on jobs (accepted_at) where state in ('accepted', 'broadcast');
  create index jobs_ended on jobs (settled_at) where state in ('confirmed', 'failed', 'expired');

  -- One wallet, one transfer in flight: the index on a constant limits the table to one row.
  create table transfers (
    hash text primary key,
    seqno bigint not null,
    valid_until bigint not null,
    boc bytea not null,
    jobs jsonb not null,
    signed_at bigint not null
  );
  create unique index transfers_one on transfers ((true));

  -- The replica that may write the journal. The fence increases with each new holder. It is a key, so changing it waits
  -- for transactions with a key share lock of the row; renewing the lease does not wait.
  create table lease (
    name text primary key,
    holder text not null,
    fence bigint not null unique,
    expires_at timestamptz not null
  );
  `,
  `
  -- The owner of the store: the index on a constant limits the table to one row. An older database has no row and gets
  -- that of the first relayer that starts on it.
  create table identity (
    network text not null,
    wallet text not null
  );
  create unique index identity_one on identity ((true));
  `,
  `
  -- The row of the lease before any replica held it: the first replicas then wait for its lock like all later ones.
  insert into lease (name, holder, fence, expires_at) values ('leader', '', 0, '-infinity') on conflict do nothing;
  `,
  `
  -- The state superseded (another proof of the note was paid), and the token that counts against the hourly caps.
  alter table jobs drop constraint jobs_state_check;
  alter table jobs add constraint jobs_state_check
    check (state in ('accepted', 'broadcast', 'confirmed', 'superseded', 'failed', 'expired'));
  drop index jobs_ended;
  create index jobs_ended on jobs (settled_at) where state in ('confirmed', 'superseded', 'failed', 'expired');
  alter table jobs add column cap_token text;
  `,
  `
  -- What each transaction earned and cost this relayer. Transfers of the wallet have lt 0.
  create table ledger (
    pool text not null,
    lt numeric(20, 0) not null,
    tx_hash text not null,
    kind text not null check (kind in ('withdrawal', 'refused', 'transfer')),
    "timestamp" bigint not null,
    fee numeric(78, 0) not null,
    gas numeric(78, 0) not null,
    refund numeric(78, 0) not null,
    primary key (pool, lt, tx_hash)
  );
  create index ledger_times on ledger ("timestamp");
  `,
  `
  -- A version 2 pool may have a commitment in several leaves; the order of its log decides the numbers of its roots and
  -- its spent set.
  alter table deposits drop constraint deposits_pool_commitment_key;
  create table pool_log (
    pool text not null,
    position integer not null check (position >= 0),
    kind text not null check (kind in ('settlement', 'payment')),
    value bytea not null check (length(value) = 32),
    settled integer not null,
    tx_hash text not null,
    primary key (pool, position)
  );
  alter table ledger drop constraint ledger_kind_check;
  alter table ledger add constraint ledger_kind_check
    check (kind in ('withdrawal', 'settlement', 'refused', 'transfer'));
  `,
  LOG_EARLIER_PAYMENTS_SQL,
  `
  -- Coins that pools were given for their storage.
  alter table ledger drop constraint ledger_kind_check;
  alter table ledger add constraint ledger_kind_check
    check (kind in ('withdrawal', 'settlement', 'refused', 'transfer', 'top_up'));
  `,
];
