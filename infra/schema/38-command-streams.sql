-- EventStoreDB takes the same event id in two streams. A command that changes one stream claims it here before it
-- appends, so that a repetition of its Idempotency-Key cannot change another stream in another process.
create schema if not exists commands;
create table commands.streams (
  command_id text collate "C" primary key,
  stream     text collate "C" not null
);
