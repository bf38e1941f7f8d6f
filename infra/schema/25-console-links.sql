-- Links that sign a person in to the console once, and what sessions that come from them may do.

-- A session comes from an API key or from a UCAN. A UCAN is sealed, because it is a secret.
alter table console.sessions alter column key_hash drop not null;
alter table console.sessions add column ucan_sealed text collate "C";          -- set where key_hash is null
alter table console.sessions add column read_only boolean not null default false; -- it may look and do nothing else

create table console.links (
  token_hash   text collate "C" primary key,     -- SHA-256 of the token in the link, base64url
  account_id   text collate "C" not null,
  key_id       text collate "C" not null,        -- the key or UCAN that made it
  key_hash     text collate "C",                 -- as in console.sessions
  ucan_sealed  text collate "C",
  read_only    boolean not null,
  request_hash text collate "C" not null,        -- tells a repetition from another request
  created_at   timestamptz not null,
  expires_at   timestamptz not null,
  used_at      timestamptz                       -- a used link is kept, so that no repetition makes it usable again
);
create index links_of_key on console.links (key_id, created_at);
create index links_by_age on console.links (created_at);
