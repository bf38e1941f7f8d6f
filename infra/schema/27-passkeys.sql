-- Passkeys of people who sign in to the console. Each stands for an API key whose secret nobody knows, and ends with it.

create table console.passkeys (
  credential_id text collate "C" primary key,    -- as the authenticator names it, base64url
  account_id    text collate "C" not null,
  key_id        text collate "C" not null,
  key_hash      text collate "C" not null,       -- SHA-256 of the key, as read_models.api_keys has it
  public_key    bytea not null,                  -- COSE
  counter       bigint not null,                 -- of signatures, as the authenticator counts them
  created_at    timestamptz not null
);
create index passkeys_of_account on console.passkeys (account_id);

-- A challenge is answered once.
create table console.answered_challenges (
  digest     text collate "C" primary key,       -- SHA-256, base64url
  expires_at timestamptz not null
);
create index answered_challenges_by_end on console.answered_challenges (expires_at);

alter table console.sessions add column confirmed_at timestamptz; -- when a passkey confirmed who is there
