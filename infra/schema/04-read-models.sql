-- Which read models there are, and up to which event each is filled. Their own tables are made by their
-- rebuild (projections/generation.ts).
create schema if not exists read_models;
create table if not exists read_models.projections (
  name       text primary key,
  version    int not null,      -- of the projection that filled the live generation
  generation int not null       -- the live one; 0 before the first is filled
);
create table if not exists read_models.checkpoints (
  name       text not null,
  generation int not null,
  position   bigint not null,   -- everything up to here is in the tables
  primary key (name, generation)
);
-- One row: the log that all of this was made from, by its first event.
create table if not exists read_models.followed_log (
  only_row    boolean primary key default true check (only_row),
  first_event uuid not null
);
do $$ begin
  if not exists (select from pg_attribute where attrelid = 'read_models.followed_log'::regclass
                 and attname = 'event_versions' and not attisdropped) then
    alter table read_models.followed_log
      add column if not exists program text,            -- version of the newest program that started
      add column if not exists event_versions jsonb;    -- in which it writes each event type
  end if;
end $$;
-- The last event that went into it: says which log the checkpoint belongs to.
do $$ begin
  if not exists (select from pg_attribute
                 where attrelid = 'read_models.checkpoints'::regclass and attname = 'event_id' and not attisdropped) then
    alter table read_models.checkpoints
      add column if not exists event_position bigint, add column if not exists event_id uuid;
  end if;
end $$;
