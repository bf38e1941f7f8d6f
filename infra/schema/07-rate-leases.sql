-- Rate limits that several processes share. Lost counts begin anew, so nothing waits for the
-- disk.

create schema if not exists limits;

-- The processes that share them.
create unlogged table if not exists limits.instances (
  id      uuid primary key,
  seen_at timestamptz not null
);

-- A sliding window: requests of the running one, and of the one before.
create unlogged table if not exists limits.windows (
  key        text collate "C" primary key,        -- keyed digest of an account or an address
  started    double precision not null,           -- epoch s
  count      int not null,
  previous   int not null
);

-- Takes up to p_want requests out of p_limit per p_seconds for each key. Keys come sorted, so that two
-- callers do not wait for each other.
create or replace function limits.lease(p_keys text[], p_limits int[], p_wants int[], p_seconds double precision)
returns table (granted int, rest int, wait_ms double precision) language plpgsql as $$
declare
  v_now double precision;
  v limits.windows;
  v_passed double precision;
  v_elapsed double precision;
  v_used double precision;
  v_room int;
begin
  perform set_config('synchronous_commit', 'off', true);
  for n in 1 .. cardinality(p_keys) loop
    insert into limits.windows values (p_keys[n], extract(epoch from clock_timestamp()), 0, 0)
      on conflict do nothing;
    select * into v from limits.windows w where w.key = p_keys[n] for update;
    v_now := extract(epoch from clock_timestamp());
    v_passed := floor((v_now - v.started) / p_seconds);
    if v_passed >= 1 then
      v.previous := case when v_passed = 1 then v.count else 0 end;
      v.started := case when v_passed = 1 then v.started + p_seconds else v_now end;
      v.count := 0;
    elsif v_passed < 0 then
      v.started := v_now;                          -- the clock went back
    end if;
    v_elapsed := (v_now - v.started) / p_seconds;
    v_used := v.previous * (1 - v_elapsed) + v.count;
    v_room := greatest(0, floor(p_limits[n] - v_used)::int);
    granted := least(p_wants[n], v_room);
    rest := v_room - granted;
    wait_ms := case
      when granted > 0 then 0
      when v.count <= p_limits[n] - 1 and v.previous > 0
        then (1 - (p_limits[n] - 1 - v.count) / v.previous::double precision - v_elapsed) * p_seconds * 1000
      else (1 - v_elapsed + 1 - (p_limits[n] - 1) / greatest(v.count, 1)::double precision) * p_seconds * 1000
    end;
    update limits.windows w
      set started = v.started, count = v.count + granted, previous = v.previous
      where w.key = p_keys[n];
    return next;
  end loop;
end $$;
