-- People who are signed in to the console. A session ends with the API key it came from; the row holds no secret.

create schema if not exists console;

create table console.sessions (
  token_hash   text collate "C" primary key,     -- SHA-256 of what the cookie holds, base64url
  account_id   text collate "C" not null,
  key_id       text collate "C" not null,
  key_hash     text collate "C" not null,        -- SHA-256 of the API key, as read_models.api_keys has it
  language     text collate "C",                 -- chosen at sign-in; null: as the browser asks
  created_at   timestamptz not null,
  last_used_at timestamptz not null,             -- kept to the minute
  ends_at      timestamptz not null              -- at the latest
);
create index sessions_of_key on console.sessions (key_id, created_at);
create index sessions_by_end on console.sessions (ends_at);
