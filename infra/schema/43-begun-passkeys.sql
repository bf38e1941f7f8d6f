-- Keys that are being made for passkeys. A row that is left belongs to a registration that a crash ended: its key has no
-- passkey, so nobody can use it.

create table console.begun_passkeys (
  key_id     text collate "C" primary key,
  account_id text collate "C" not null,
  begun_at   timestamptz not null
);
create index begun_passkeys_by_time on console.begun_passkeys (begun_at);
