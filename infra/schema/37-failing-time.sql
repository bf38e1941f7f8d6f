-- The clock may jump forward, or nothing may be sent for days. An endpoint did not fail in that time, so
-- failing_since moves forward by what a pause between two failures has beyond 27 hours. Attempts of one message
-- are at most 26.4 hours apart (reactors/delivery-schedule.ts).
alter table deliveries.endpoints add column failed_at timestamptz; -- the last failure since the last success

-- As in file 14, with the pauses between failures.
create or replace function deliveries.record(p_kind text, p_endpoint text, p_results json,
  p_reset boolean, p_failing timestamptz, p_now timestamptz)
returns timestamptz language plpgsql
set enable_seqscan = off
as $$
declare
  v_failing timestamptz;
  v_lane text;
  v_next bigint;
  r record;
begin
  -- Lost with the machine it would be delivered again, with the same id.
  perform set_config('synchronous_commit', 'off', true);
  -- Who adds messages holds the same lock: none is added to a lane while its last one leaves it.
  update deliveries.endpoints
    set failing_since = case when p_reset then p_failing
        else coalesce(failing_since
          + greatest(p_failing - failed_at - interval '27 hours', interval '0'), p_failing) end,
      failed_at = case when p_failing is not null then p_now when not p_reset then failed_at end
    where kind = p_kind and id = p_endpoint
    returning failing_since into v_failing;

  for r in
    select * from json_to_recordset(p_results) as t (message_id bigint, before int, state text,
      next_at timestamptz, counted boolean, at timestamptz, status int, error text, duration_ms int)
  loop
    update deliveries.messages m
      set state = r.state, next_at = coalesce(r.next_at, m.next_at), changed_at = p_now,
        attempts = m.attempts + case when r.counted then 1 else 0 end
      where m.message_id = r.message_id and m.state = 'due' and m.attempts = r.before
      returning m.lane into v_lane;
    if found and r.state <> 'due' then
      select w.message_id into v_next from deliveries.messages w
        where w.kind = p_kind and w.endpoint_id = p_endpoint and w.lane = v_lane
          and w.state = 'waiting'
        order by w.position limit 1;
      update deliveries.messages m set state = 'due', next_at = least(m.next_at, p_now)
        where m.message_id = v_next;
    end if;
    if r.counted then
      insert into deliveries.attempts (message_id, at, status, error, duration_ms)
        select r.message_id, r.at, r.status, r.error, r.duration_ms
        where exists (select 1 from deliveries.messages m where m.message_id = r.message_id);
    end if;
  end loop;
  return v_failing;
end $$;

-- As in file 24, with the last failure.
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
      set pump_until = pump_until - v_back, failing_since = failing_since - v_back,
        failed_at = failed_at - v_back;
    update work.jobs set run_at = run_at - v_back, claimed_until = claimed_until - v_back;
  end if;
  update deliveries.clock set looked_at = v_now;
  return extract(epoch from v_now) * 1000;
end $$;
