-- The event log. Made once; safe to run again.
create schema if not exists event_log;

-- One row: the position of the last event. Locked by every append, so that positions are given in
-- commit order and without a gap: a reader at position n has seen everything up to n, for ever.
create table if not exists event_log.head (
  only_row boolean primary key default true check (only_row),
  position bigint not null
);
insert into event_log.head (position) values (0) on conflict do nothing;

create table if not exists event_log.events (
  position bigint primary key,
  stream   text collate "C" not null,
  version  bigint not null,             -- 0-based within the stream
  id       uuid not null,
  type     text collate "C" not null,
  data     text collate "C" not null,   -- JSON text, byte for byte as it was hashed
  metadata text collate "C" not null,   -- JSON text, likewise
  constraint events_stream_version unique (stream, version),
  constraint events_id unique (id),
  constraint events_data_object check (json_typeof(data::json) = 'object'),
  constraint events_metadata_object check (json_typeof(metadata::json) = 'object')
);
-- Most of a large event is ciphertext, which does not compress.
alter table event_log.events alter column metadata set storage external;

-- What was written stays as it was written.
create or replace function event_log.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the event log is append-only';
end $$;
create or replace trigger events_append_only
  before update or delete on event_log.events
  for each row execute function event_log.refuse_change();
create or replace trigger events_no_truncate
  before truncate on event_log.events
  for each statement execute function event_log.refuse_change();
