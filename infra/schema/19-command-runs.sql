-- When commands that protect the service last ran, for `doctor` and /metrics. One row per command.
create schema if not exists operation;
create table if not exists operation.command_runs (
  command     text primary key,          -- backup | verify | restore-drill
  ran_at      timestamptz not null,      -- of the last run
  succeeded   boolean not null,
  seconds     double precision not null,
  succeeded_at timestamptz,              -- of the last run that succeeded
  detail      text not null              -- for people; nothing personal, no secret
);
