create schema if not exists quotes;
-- name: SHA-256 of the quote's id, hex. quote: JSON, nothing personal.
create table if not exists quotes.held (
  name text collate "C" primary key,
  quote text not null,
  expires_at timestamptz not null
);
create index if not exists held_expires_at on quotes.held (expires_at);

create schema if not exists negotiation;
-- jws: the offer as it was signed; nothing personal is in it.
create table if not exists negotiation.offers (
  offer_id text collate "C" primary key,
  jws text not null,
  expires_at timestamptz not null
);
create index if not exists offers_expires_at on negotiation.offers (expires_at);
