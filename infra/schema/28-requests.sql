-- The last requests of each account, for its owner. No bodies and no addresses. A crash may empty the table.

create unlogged table console.requests (
  id         bigint generated always as identity primary key,
  account_id text collate "C" not null,
  key_id     text collate "C" not null,          -- a key, or a UCAN as ucan:<cid>
  operation  text collate "C" not null,
  status     smallint not null,
  code       text collate "C",                   -- of the error; null: none
  request_id text collate "C" not null,
  ms         integer not null,
  at         timestamptz not null
);
create index requests_of_account on console.requests (account_id, id desc);
create index requests_by_age on console.requests (at);
