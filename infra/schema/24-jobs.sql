-- Jobs: work that is due at a time. A process claims a job, renews the claim while it works, and deletes the
-- job when it is done. A claim that is not renewed ends, and another process runs the job again.
create schema if not exists work;
create table work.jobs (
  key           text collate "C" primary key,    -- adding a job again under its key replaces it
  task          text collate "C" not null,
  payload       json not null,                   -- ids only
  run_at        timestamptz not null,
  attempts      int not null default 0,          -- runs that began
  max_attempts  int not null default 25,         -- about three days
  claim         uuid,                            -- of one run
  claimed_until timestamptz
);
create index jobs_due on work.jobs (run_at) where attempts < max_attempts;

create function work.announce() returns trigger language plpgsql as $$
begin
  notify jobs_added;
  return null;
end $$;
create trigger announce after insert on work.jobs for each statement execute function work.announce();

-- Takes over the jobs of versions before this one, which another library ran. Such a version may still be
-- at work: jobs that it runs are left to it, as long as its process holds its lock.
create function work.take_over() returns void language plpgsql as $$
begin
  if to_regclass('jobs._private_jobs') is null then return; end if;
  with taken as (
    delete from jobs._private_jobs j using jobs._private_tasks t
    where t.id = j.task_id and j.attempts < j.max_attempts
      and (j.locked_at is null or (j.locked_at < now() - interval '10 seconds'
        and pg_try_advisory_xact_lock(hashtext('job pool ' || j.locked_by))))
    returning coalesce(j.key, 'taken over ' || j.id) as key, t.identifier as task, j.payload, j.run_at
  )
  insert into work.jobs (key, task, payload, run_at) select key, task, payload, run_at from taken
  on conflict (key) do nothing;
end $$;

-- Reads the clock, epoch ms. If it went back since it was last read, everything that waits for a time moves
-- back with it. Otherwise it would wait for the same time longer.
create or replace function deliveries.tick() returns double precision language plpgsql as $$
declare
  v_now timestamptz;
  v_back interval;
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into deliveries.clock values (true, clock_timestamp()) on conflict do nothing;
  -- One after the other: a call that waited here reads the clock when it is its turn.
  perform 1 from deliveries.clock for update;
  v_now := clock_timestamp();
  select looked_at - v_now into v_back from deliveries.clock;
  if v_back > interval '100 ms' then
    update deliveries.messages set next_at = next_at - v_back where state in ('due', 'waiting');
    update deliveries.endpoints
      set pump_until = pump_until - v_back, failing_since = failing_since - v_back;
    update work.jobs set run_at = run_at - v_back, claimed_until = claimed_until - v_back;
  end if;
  update deliveries.clock set looked_at = v_now;
  return extract(epoch from v_now) * 1000;
end $$;
