-- Exports of accounts. An archive is made part by part; the parts lie sealed in the blob store until they expire.

create schema if not exists exports;

create table exports.exports (
  export_id    uuid primary key,
  account_id   text collate "C" not null,
  request_hash text collate "C" not null,        -- tells a repetition from another request
  documents    boolean not null,                 -- with letters as PDF
  state        text collate "C" not null,        -- making | ready | failed
  requested_at timestamptz not null,
  after        text not null default '',         -- place of the last letter that is in a part; empty: none is
  letters      int not null default 0,
  part_bytes   bigint[] not null default '{}',   -- of each part that is stored
  expires_at   timestamptz not null              -- while it is made: when it is given up
);
-- One is made at a time for each account.
create unique index one_in_making on exports.exports (account_id) where state = 'making';
create index exports_of_account on exports.exports (account_id);
create index exports_by_end on exports.exports (expires_at);
