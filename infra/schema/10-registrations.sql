-- From where accounts were registered: how many an address registers, and which accounts share a budget of time.

create schema if not exists limits;

create table if not exists limits.registrations (
  account_id text collate "C" primary key,
  address    text collate "C" not null,             -- keyed digest of the IPv4 address or the IPv6 /64 network
  at         timestamptz not null default clock_timestamp()
);
create index if not exists registrations_address on limits.registrations (address, at);
create index if not exists registrations_at on limits.registrations (at);
