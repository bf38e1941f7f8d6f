-- When a command claimed its stream, so that claims of commands that are no longer repeated can be removed.
alter table commands.streams add column claimed_at timestamptz not null default now();
create index streams_claimed_at on commands.streams (claimed_at);
