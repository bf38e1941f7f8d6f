create schema if not exists payments;
-- What may be used once, until it could not be used any more by itself.
create table if not exists payments.used_nonces (
  nonce text collate "C" primary key,
  expires_at timestamptz not null
);
create index if not exists used_nonces_expires_at on payments.used_nonces (expires_at);

-- Up to which block of a chain the transfers to us were taken.
create table if not exists payments.block_cursors (
  chain text collate "C" primary key,
  block bigint not null
);
