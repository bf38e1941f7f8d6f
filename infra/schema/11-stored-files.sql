create schema if not exists storage;
-- What lies in the blob store, or is about to.
create table if not exists storage.files (
  key text collate "C" primary key,
  account_id text not null,
  bytes bigint not null,
  claimed_at timestamptz not null
);
create index if not exists files_claimed_at on storage.files (claimed_at);
-- The sum of an account's files.
create table if not exists storage.used (
  account_id text primary key,
  bytes bigint not null check (bytes >= 0)
);
-- When which of the steps was done that are done once.
create table if not exists storage.steps (
  step text primary key,
  done_at timestamptz not null
);
