-- Followers of the log with their checkpoints, and the owners of work.
create schema if not exists reactors;
create table if not exists reactors.checkpoints (name text primary key, position bigint not null);
-- Streams with an event that the owner's version of the program could not read.
create table if not exists reactors.parked (
  name    text collate "C" not null,               -- who follows
  stream  text collate "C" not null,
  version bigint not null,                         -- of the first event that could not be read
  before  bigint not null,                         -- the place in the log before it
  type    text collate "C" not null,
  error   text not null,
  at      timestamptz not null default now(),
  primary key (name, stream)
);
-- The last event that went into it: says which log the checkpoint belongs to.
do $$ begin
  if not exists (select from pg_attribute
                 where attrelid = 'reactors.checkpoints'::regclass and attname = 'event_id' and not attisdropped) then
    alter table reactors.checkpoints
      add column if not exists event_position bigint, add column if not exists event_id uuid;
  end if;
end $$;

create sequence if not exists reactors.tokens;
create table if not exists reactors.leases (
  name       text collate "C" primary key,
  owner      text collate "C" not null,          -- a process, by a name that it gave itself
  token      bigint not null unique,             -- no two owners ever had the same
  expires_at timestamptz not null,               -- by the clock of this server
  unique (name, token)
);

-- Generations of the log: a new one begins when data was restored from a backup.
create table if not exists reactors.log_generations (
  number     bigint generated always as identity primary key,
  log_id     uuid not null unique default gen_random_uuid(),
  began_at   timestamptz not null,       -- by the clock of the service
  head       bigint not null,            -- position of the last event that was restored
  settled_at timestamptz,                -- null: letters are in doubt, whether they were handed over
  mark       uuid,                       -- what the print folder was last marked with
  next_mark  uuid                        -- what it is being marked with
);
