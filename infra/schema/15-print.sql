create schema if not exists print;
-- mark: id of the attempt that publishes the job, or 'over'.
create table if not exists print.hand_overs (
  partner text collate "C",
  job_id uuid,
  mark text collate "C" not null,
  marked_at timestamptz not null default now(),
  primary key (partner, job_id)
);
create index if not exists hand_overs_over on print.hand_overs (marked_at) where mark = 'over';

-- Jobs that the print house may have taken after the backup that the data was restored from.
create table if not exists print.restored_jobs (
  job_id     uuid primary key,
  generation bigint not null,          -- of the log, when it was decided
  printed    boolean not null,         -- whether the print house has taken it
  again      boolean not null,         -- it is still to be handed over again
  decided_at timestamptz not null default now()
);
create index if not exists restored_jobs_again on print.restored_jobs (job_id) where again;
