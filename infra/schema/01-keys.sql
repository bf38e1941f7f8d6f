-- Data keys, and the proof of the master key. A new data key is stored in the commit of the first event
-- that it seals.
create schema if not exists keys;
create table if not exists keys.data_keys (
  subject text collate "C" primary key,
  wrapped text collate "C",   -- sealed under the master key; null once it was erased
  made_at timestamptz not null default now(),
  erased_at timestamptz
);
-- Sealed under the master key: whether the one at hand is the one that everything here was sealed with.
create table if not exists keys.master_key_check (
  one boolean primary key default true check (one),
  sealed text collate "C" not null
);
