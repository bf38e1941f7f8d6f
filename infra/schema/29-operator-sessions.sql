-- Operators and auditors who are signed in to the console, and the one-time links by which they sign in. No row holds a
-- secret, or a name.

create table console.operator_sessions (
  token_hash   text collate "C" primary key,     -- SHA-256 of what the cookie holds, base64url
  operator     text collate "C" not null,        -- a keyed digest of the person, or `link`
  rights       text collate "C" not null check (rights in ('operator', 'auditor')),
  created_at   timestamptz not null,
  last_used_at timestamptz not null,             -- kept to the minute
  ends_at      timestamptz not null              -- at the latest
);
create index operator_sessions_by_end on console.operator_sessions (ends_at);

create table console.operator_links (
  code_hash text collate "C" primary key,        -- SHA-256 of the code in the link, base64url
  rights    text collate "C" not null check (rights in ('operator', 'auditor')),
  ends_at   timestamptz not null
);

-- Accounts that a session looked into: each is recorded by one event.
create table console.operator_looks (
  token_hash text collate "C" not null references console.operator_sessions on delete cascade,
  account_id text collate "C" not null,
  primary key (token_hash, account_id)
);

-- What the doctor found last.
create table operation.doctor_runs (
  only_row boolean primary key default true check (only_row),
  ran_at   timestamptz not null,
  results  jsonb not null                        -- for people; nothing personal, no secret
);
