-- Keys and credentials of the service.
create schema if not exists identity;
-- sealed: the 32-byte seed under a key that is derived from the master key.
create table if not exists identity.private_keys (
  key_id text collate "C" primary key,
  sealed text collate "C" not null
);

-- The log of credentials.
create table if not exists identity.credentials (
  log_index  bigint primary key,            -- leaf of the log: 0, 1, 2 …
  event_id   uuid not null unique,
  stream     text collate "C" not null,
  sequence   bigint not null,               -- version of the event in its stream, plus 1
  position   bigint not null,               -- of the event in the event log
  account_id text collate "C" not null,     -- empty for the service's own
  hash       bytea not null unique,         -- SHA-256 of the credential
  jwt        text collate "C" not null,
  unique (stream, sequence)
);
create index if not exists credentials_of_account on identity.credentials (account_id, log_index);
-- Tiles of 256 hashes; the last one of each level grows.
create table if not exists identity.tiles (
  level  int not null,
  index  bigint not null,
  hashes bytea not null,
  primary key (level, index)
);
-- One row: how many leaves there are, and up to where in the event log every event has one.
create table if not exists identity.log (
  one      boolean primary key default true check (one),
  size     bigint not null,
  position bigint not null
);
insert into identity.log (size, position) values (0, 0) on conflict do nothing;
-- Signed statements about the log: the latest, and the last one of each hour.
create table if not exists identity.checkpoints (
  size bigint primary key,
  root bytea not null,
  note text not null,
  at   timestamptz not null
);
create index if not exists checkpoints_at on identity.checkpoints (at);

-- Challenges that a holder has answered; digest: keyed, of challenge, domain and holder.
create table if not exists identity.spent_challenges (
  digest text collate "C" primary key,
  spent_at timestamptz not null default now()
);
-- Digest of the presentation that answered it. Null: an earlier version did not keep it.
alter table identity.spent_challenges add column if not exists presentation text collate "C";
create index if not exists spent_challenges_at on identity.spent_challenges (spent_at);
