-- A delivery that is cancelled while its request is under way, because the webhook is removed or disabled, ends as the
-- receiver answered: delivered, or failed after a 410 or the last attempt. Before, it stayed cancelled.

-- As in file 37, with the outcomes of cancelled messages.
create or replace function deliveries.record(p_kind text, p_endpoint text, p_results json,
  p_reset boolean, p_failing timestamptz, p_now timestamptz)
returns timestamptz language plpgsql
set enable_seqscan = off
as $$
declare
  v_failing timestamptz;
  v_lane text;
  v_before text;
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
    select m.lane, m.state into v_lane, v_before from deliveries.messages m
      where m.message_id = r.message_id and m.attempts = r.before
        and (m.state = 'due' or m.state = 'cancelled' and r.state in ('delivered', 'failed'))
      for update;
    if found then
      update deliveries.messages m
        set state = r.state, next_at = coalesce(r.next_at, m.next_at), changed_at = p_now,
          attempts = m.attempts + case when r.counted then 1 else 0 end
        where m.message_id = r.message_id;
      -- The next one of a lane follows the one that was due, not one that was cancelled before.
      if v_before = 'due' and r.state <> 'due' then
        select w.message_id into v_next from deliveries.messages w
          where w.kind = p_kind and w.endpoint_id = p_endpoint and w.lane = v_lane
            and w.state = 'waiting'
          order by w.position limit 1;
        update deliveries.messages m set state = 'due', next_at = least(m.next_at, p_now)
          where m.message_id = v_next;
      end if;
    end if;
    if r.counted then
      insert into deliveries.attempts (message_id, at, status, error, duration_ms)
        select r.message_id, r.at, r.status, r.error, r.duration_ms
        where exists (select 1 from deliveries.messages m where m.message_id = r.message_id);
    end if;
  end loop;
  return v_failing;
end $$;
