-- Keys of passkeys that are being registered. A row that stays belongs to a registration that crashed: its key has no
-- passkey, so nobody can use it.

create table console.begun_passkeys (
  key_id     text collate "C" primary key,
  account_id text collate "C" not null,
  begun_at   timestamptz not null
);
create index begun_passkeys_by_time on console.begun_passkeys (begun_at);
