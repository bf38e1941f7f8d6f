-- Deliveries to webhooks. Ids and states only: addresses and secrets are read from the
-- account's stream when a delivery is made.

create schema if not exists deliveries;

-- How far the reactor is in the log. Next to what it wrote, so that both are lost or restored together.
create table if not exists deliveries.progress (
  only_row   boolean primary key default true check (only_row),
  started_at timestamptz not null default now(),  -- what happened more than a day before is not told
  position   bigint not null default 0
);
insert into deliveries.progress default values on conflict do nothing;
-- Later events of the log are delivered, whatever their time says. Absent in what older versions wrote.
alter table deliveries.progress add column if not exists tell_after bigint;

-- When somebody last looked at the clock of this server.
create table if not exists deliveries.clock (
  only_row  boolean primary key default true check (only_row),
  looked_at timestamptz not null
);

create table if not exists deliveries.endpoints (
  kind          text collate "C" not null,        -- status | audit
  id            text collate "C" not null,        -- of the account, or of the subscription
  account_id    text collate "C" not null,
  active        boolean not null,
  events        text[],                           -- audit: only these; null: all
  letter_id     uuid,                             -- audit: only of this letter; null: of all
  failing_since timestamptz,                      -- first failure after the last success
  pump          text collate "C",                 -- who delivers at the moment
  pump_until    timestamptz,
  primary key (kind, id)
);

create table if not exists deliveries.messages (
  message_id  bigint generated always as identity primary key,
  kind        text collate "C" not null,
  endpoint_id text collate "C" not null,
  account_id  text collate "C" not null,
  event_id    uuid not null,
  position    bigint not null,                    -- of the event in the log: the order in a lane
  lane        text collate "C" not null,          -- what is delivered one after the other
  type        text collate "C" not null,
  letter_id   uuid,
  status      text collate "C",
  at          text not null,                      -- when it happened, RFC 3339
  state       text collate "C" not null,          -- due | waiting | delivered | failed | cancelled
  attempts    int not null default 0,             -- of this round; a replay begins a new one
  next_at     timestamptz not null,
  changed_at  timestamptz not null default now(),
  proof       text,                               -- audit: what the first attempt carried; '': none yet
  unique (event_id, kind, endpoint_id)            -- no prefix that a look-up by lane could mistake
);
-- Of tables that an earlier version made.
alter table deliveries.messages add column if not exists proof text;
create index if not exists messages_due
  on deliveries.messages (kind, endpoint_id, next_at, position) where state = 'due';
create index if not exists messages_of_audit
  on deliveries.messages (endpoint_id, position) where kind = 'audit';
create index if not exists messages_open
  on deliveries.messages (lane, kind, endpoint_id, position) where state in ('due', 'waiting');
create index if not exists messages_done
  on deliveries.messages (changed_at) where state not in ('due', 'waiting');

create table if not exists deliveries.attempts (
  message_id  bigint not null references deliveries.messages on delete cascade,
  at          timestamptz not null,
  status      int,                                -- of the answer
  error       text collate "C",                   -- code, where there was no answer
  duration_ms int not null
);
create index if not exists attempts_of_message on deliveries.attempts (message_id, at);

-- Which Idempotency-Key replayed what; `key` is a keyed digest.
create table if not exists deliveries.replays (
  account_id text collate "C" not null,
  key        text collate "C" not null,
  event_id   uuid not null,
  at         timestamptz not null default now(),
  primary key (account_id, key)
);

-- Adds messages, given as JSON with the columns' names; the caller has locked their endpoints. In a
-- lane the first open one is due, the others wait for it. A message that is known is left as it is.
create or replace function deliveries.add_messages(p_messages json, p_now timestamptz)
returns void language sql
-- Row by row through the indexes, whatever the statistics of a table that fills and empties say.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  with incoming as (
    select m.* from json_to_recordset(p_messages) as m (kind text, endpoint_id text,
      account_id text, event_id uuid, position bigint, lane text, type text, letter_id uuid,
      status text, at text, next_at timestamptz)
    where not exists (
      select 1 from deliveries.messages k
      where k.kind = m.kind and k.endpoint_id = m.endpoint_id and k.event_id = m.event_id)
  )
  insert into deliveries.messages (kind, endpoint_id, account_id, event_id, position, lane, type,
    letter_id, status, at, state, next_at)
  select kind, endpoint_id, account_id, event_id, position, lane, type, letter_id, status, at,
    case when row_number() over (partition by kind, endpoint_id, lane order by position) = 1
      and not exists (
        select 1 from deliveries.messages o
        where o.kind = i.kind and o.endpoint_id = i.endpoint_id and o.lane = i.lane
          and o.state in ('due', 'waiting'))
      then 'due' else 'waiting' end,
    coalesce(next_at, p_now)
  from incoming i
$$;

-- Records what came of attempts at one endpoint, and lets the next of each lane that is done follow.
-- p_results: message_id, before (attempts until then), state, next_at, counted (false: there was
-- nothing to send yet), at, status, error, duration_ms. p_reset: one was delivered. p_failing: the
-- first failure after the last success, of these. Answers since when the endpoint fails.
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
    set failing_since = case when p_reset then p_failing else coalesce(failing_since, p_failing) end
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

-- Reads the clock, epoch ms. If it went back since it was last read, everything that waits for a time moves
-- back with it, jobs too. Otherwise it would wait for the same time longer.
create or replace function deliveries.tick() returns double precision language plpgsql as $$
declare
  v_now timestamptz;
  v_back interval;
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into deliveries.clock values (true, clock_timestamp()) on conflict do nothing;
  -- One after the other: who waited here looks at the clock when it is its turn.
  perform 1 from deliveries.clock for update;
  v_now := clock_timestamp();
  select looked_at - v_now into v_back from deliveries.clock;
  if v_back > interval '100 ms' then
    update deliveries.messages set next_at = next_at - v_back where state in ('due', 'waiting');
    update deliveries.endpoints
      set pump_until = pump_until - v_back, failing_since = failing_since - v_back;
    update jobs._private_jobs set run_at = run_at - v_back where locked_at is null;
  end if;
  update deliveries.clock set looked_at = v_now;
  return extract(epoch from v_now) * 1000;
end $$;

-- The last event that was taken: says which log the place belongs to.
do $$ begin
  if not exists (select from pg_attribute
                 where attrelid = 'deliveries.progress'::regclass and attname = 'event_id' and not attisdropped) then
    alter table deliveries.progress
      add column if not exists event_position bigint, add column if not exists event_id uuid;
  end if;
end $$;
