create schema if not exists keys;
-- wrapped: the data key sealed under the master key; null once it was erased.
create table if not exists keys.data_keys (
  subject text collate "C" primary key,
  wrapped text collate "C",
  made_at timestamptz not null default now(),
  erased_at timestamptz
);; commit;

-- The event log. Made once; safe to run again.
create schema if not exists event_log;

-- One row: the position of the last event. Locked by every append, so that positions are given in
-- commit order and without a gap: a reader at position n has seen everything up to n, for ever.
create table if not exists event_log.head (
  only_row boolean primary key default true check (only_row),
  position bigint not null
);
insert into event_log.head (position) values (0) on conflict do nothing;

create table if not exists event_log.events (
  position bigint primary key,
  stream   text collate "C" not null,
  version  bigint not null,             -- 0-based within the stream
  id       uuid not null,
  type     text collate "C" not null,
  data     text collate "C" not null,   -- JSON text, byte for byte as it was hashed
  metadata text collate "C" not null,   -- JSON text, likewise
  constraint events_stream_version unique (stream, version),
  constraint events_id unique (id),
  constraint events_data_object check (json_typeof(data::json) = 'object'),
  constraint events_metadata_object check (json_typeof(metadata::json) = 'object')
);
-- Most of a large event is ciphertext, which does not compress.
alter table event_log.events alter column metadata set storage external;

-- What was written stays as it was written.
create or replace function event_log.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the event log is append-only';
end $$;
create or replace trigger events_append_only
  before update or delete on event_log.events
  for each row execute function event_log.refuse_change();
create or replace trigger events_no_truncate
  before truncate on event_log.events
  for each statement execute function event_log.refuse_change();

-- Appends the events of many independent requests in one transaction.
--
-- Per request:                         Per event, in the order of the requests:
--   p_streams    names, see below        p_requests  number of its request, from 1
--   p_expected   version, -1: none       p_nth       number within its request, from 1
--   p_counts     number of events        p_ids
--                                        p_types, p_data, p_metadata
--
-- Texts come as one text each, separated by U+001E, which JSON text never holds raw: cheaper by far
-- than an array whose every quote is escaped and parsed again.
--
-- Returns a row per request, in order: `ok` with version and position of its last event, also when the
-- very same events were stored before; or `wrong_version` with the stream's actual version. A request
-- that does not fit leaves its neighbours alone.
create or replace function event_log.append(
  p_streams text, p_expected bigint[], p_counts int[],
  p_requests int[], p_nth int[], p_ids uuid[], p_types text, p_data text, p_metadata text
) returns table (outcome text, last_version bigint, last_position bigint)
language plpgsql
set plan_cache_mode = force_generic_plan
as $$
declare
  separator constant text := E'\x1e';
  head bigint;
  new_head bigint;
begin
  -- Appends wait here for each other. The next statement sees all that was committed before.
  select h.position into head from event_log.head h for update;

  return query
  with request as materialized (
    select r.n, r.stream, r.expected, r.count,
      coalesce((select e.version from event_log.events e
                where e.stream = r.stream order by e.version desc limit 1), -1) as actual
    from unnest(string_to_array(p_streams, separator), p_expected, p_counts)
      with ordinality as r (stream, expected, count, n)
  ),
  accepted as materialized (
    select q.n, q.stream, q.expected, q.count,
      head + sum(q.count) over (order by q.n) - q.count as before
    from request q where q.actual = q.expected
  ),
  inserted as (
    insert into event_log.events (position, stream, version, id, type, data, metadata)
    select a.before + e.nth, a.stream, a.expected + e.nth, e.id, e.type, e.data, e.metadata
    from unnest(p_requests, p_nth, p_ids, string_to_array(p_types, separator),
                string_to_array(p_data, separator), string_to_array(p_metadata, separator))
      as e (request, nth, id, type, data, metadata)
    join accepted a on a.n = e.request
  ),
  bumped as (
    update event_log.head h set position = head + (select sum(a.count) from accepted a)
    where exists (select from accepted)
  )
  select
    case when a.n is not null or stored.position is not null then 'ok' else 'wrong_version' end,
    case when a.n is not null or stored.position is not null then q.expected + q.count
         else q.actual end,
    coalesce(a.before + a.count, stored.position)::bigint
  from request q
  left join accepted a on a.n = q.n
  left join lateral (
    -- The same append came before and its answer was lost.
    select max(e.position) as position
    from unnest(p_requests, p_nth, p_ids, string_to_array(p_data, separator),
                string_to_array(p_metadata, separator))
      as again (request, nth, id, data, metadata)
    join event_log.events e
      on e.id = again.id and e.stream = q.stream and e.version = q.expected + again.nth
      and e.data = again.data and e.metadata = again.metadata
    where a.n is null and again.request = q.n
    having count(*) = q.count
  ) stored on true
  order by q.n;

  select h.position into new_head from event_log.head h;
  if new_head > head then
    perform pg_notify('event_log', new_head::text);
  end if;
end $$;

-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
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

-- What is to be delivered to webhooks. Ids and states only: addresses and secrets are read from the
-- account's stream when a delivery is made.

-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);

create schema if not exists deliveries;

-- How far the reactor is in the log. Beside what it wrote, so that both are lost or restored together.
create table if not exists deliveries.progress (
  only_row   boolean primary key default true check (only_row),
  started_at timestamptz not null default now(),  -- what happened more than a day before is not told
  position   bigint not null default 0
);
insert into deliveries.progress default values on conflict do nothing;

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
  unique (event_id, kind, endpoint_id)            -- no prefix that a look-up by lane could mistake
);
create index if not exists messages_due
  on deliveries.messages (kind, endpoint_id, next_at, position) where state = 'due';
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
      status text, at text)
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
    p_now
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

-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists identity;
-- sealed: the 32-byte seed under a key that is derived from the master key.
create table if not exists identity.private_keys (
  key_id text collate "C" primary key,
  sealed text collate "C" not null
);

-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists identity;

create table if not exists identity.credentials (
  log_index  bigint primary key,            -- leaf of the log: 0, 1, 2 …
  event_id   uuid not null unique,
  stream     text collate "C" not null,
  sequence   bigint not null,               -- version of the event in its stream, plus 1
  position   bigint not null,               -- of the event in the event log
  account_id text collate "C" not null,     -- empty for the service's own
  hash       bytea not null unique,         -- SHA-256 of the credential
  jwt        text collate "C" not null,
  unique (stream, sequence)
);
create index if not exists credentials_of_account on identity.credentials (account_id, log_index);
-- Tiles of 256 hashes; the last one of each level grows.
create table if not exists identity.tiles (
  level  int not null,
  index  bigint not null,
  hashes bytea not null,
  primary key (level, index)
);
-- One row: how many leaves there are, and up to where in the event log every event has one.
create table if not exists identity.log (
  one      boolean primary key default true check (one),
  size     bigint not null,
  position bigint not null
);
insert into identity.log (size, position) values (0, 0) on conflict do nothing;

-- Signed statements about the log: the latest, and the last one of each hour.
create table if not exists identity.checkpoints (
  size bigint primary key,
  root bytea not null,
  note text not null,
  at   timestamptz not null
);
create index if not exists checkpoints_at on identity.checkpoints (at);

drop table if exists read_models.accounts_g1 cascade;

drop table if exists read_models.api_keys_g1 cascade;

create table read_models.accounts_g1 (
  account_id        text collate "C" primary key,
  test              boolean not null,
  kind              text collate "C" not null,
  created_at        timestamptz not null,
  version           bigint not null,
  settings_sealed   text collate "C",
  settings_event_id uuid,
  webhook_disabled  text collate "C"
);
create table read_models.api_keys_g1 (
  key_id           text collate "C" primary key,
  account_id       text collate "C" not null,
  secret_hash      text collate "C" not null unique,
  scope            text collate "C" not null,
  test             boolean not null,
  prefix           text collate "C" not null,
  sealed           text collate "C",
  event_id         uuid not null,
  created_at       timestamptz not null,
  created_position bigint not null,
  changed_position bigint not null,
  expires_at       timestamptz,
  revoked_at       timestamptz
);
create index on read_models.api_keys_g1 (account_id);

comment on table read_models.accounts_g1 is '2';

comment on table read_models.api_keys_g1 is '2';

drop table if exists read_models.letters_g1 cascade;

create table read_models.letters_g1 (
  letter_id        uuid primary key,
  account_id       text collate "C" not null,
  status           text collate "C" not null,
  service          text collate "C" not null,
  country          text collate "C" not null,
  created_position bigint not null,
  created_at       timestamptz not null,
  reference_hash   text collate "C",
  metadata_hashes  text collate "C",   -- separated and enclosed by spaces
  release_at       timestamptz,
  over_at          timestamptz,
  version          bigint not null,
  doc              text not null,
  sealed           text
);
-- What is encrypted does not compress, and a change of the status does not write it again.
alter table read_models.letters_g1 alter column sealed set storage external;

comment on table read_models.letters_g1 is '3';

drop table if exists read_models.wallets_g1 cascade;

drop table if exists read_models.wallet_transactions_g1 cascade;

drop table if exists read_models.wallet_entries_g1 cascade;

create table read_models.wallets_g1 (
  account_id        text collate "C" primary key,
  test              boolean not null,
  period            int not null,
  crypto_micro      bigint not null,
  fiat_micro        bigint not null,
  held_crypto_micro bigint not null,
  held_fiat_micro   bigint not null,
  version           bigint not null
);
create table read_models.wallet_transactions_g1 (
  position            bigint primary key,
  account_id          text collate "C" not null,
  type                text collate "C" not null,
  amount_micro        bigint not null,       -- change of the available balance
  balance_after_micro bigint not null,       -- available after it
  letter_id           uuid,
  source              text collate "C",
  sealed              text collate "C",
  event_id            uuid not null,
  created_at          timestamptz not null
);
create table read_models.wallet_entries_g1 (
  position     bigint not null,
  line         int not null,
  account      text collate "C" not null,
  amount_micro bigint not null,
  primary key (position, line)
);

comment on table read_models.wallets_g1 is '1';

comment on table read_models.wallet_transactions_g1 is '1';

comment on table read_models.wallet_entries_g1 is '1';

drop table if exists read_models.notifications_g1 cascade;

create table read_models.notifications_g1 (
  position   bigint primary key,
  event_id   uuid not null,
  account_id text collate "C" not null,
  letter_id  uuid,
  type       text collate "C" not null,
  status     text collate "C",
  created_at timestamptz not null
);
create index on read_models.notifications_g1 (letter_id, position);

comment on table read_models.notifications_g1 is '2';

drop table if exists read_models.mails_g1 cascade;

create table read_models.mails_g1 (
  mail_id    uuid primary key,
  account_id text collate "C" not null,
  letter_id  uuid,
  kind       text collate "C" not null,
  state      text collate "C" not null,    -- sending | sent | retrying | failed | dropped
  attempts   jsonb not null                -- [{ at, endedAt, state, error }], the oldest first
);

comment on table read_models.mails_g1 is '1';

create index if not exists api_keys_g1_index_0 on read_models.api_keys_g1 (changed_position);

create index if not exists letters_g1_index_0 on read_models.letters_g1 (account_id, created_position);

create index if not exists letters_g1_index_1 on read_models.letters_g1 (account_id, reference_hash) where reference_hash is not null;

create index if not exists letters_g1_index_2 on read_models.letters_g1 (release_at) where status = 'queued';

create index if not exists letters_g1_index_3 on read_models.letters_g1 (over_at) where over_at is not null;

create index if not exists wallet_transactions_g1_index_0 on read_models.wallet_transactions_g1 (account_id, position);

create index if not exists notifications_g1_index_0 on read_models.notifications_g1 (account_id, position);

create index if not exists mails_g1_index_0 on read_models.mails_g1 (letter_id) where letter_id is not null;

drop view if exists read_models.accounts;

create view read_models.accounts as select * from read_models.accounts_g1;

drop view if exists read_models.api_keys;

create view read_models.api_keys as select * from read_models.api_keys_g1;

drop table if exists read_models.accounts_g0;

drop table if exists read_models.api_keys_g0;

drop view if exists read_models.letters;

create view read_models.letters as select * from read_models.letters_g1;

drop table if exists read_models.letters_g0;

drop view if exists read_models.wallets;

create view read_models.wallets as select * from read_models.wallets_g1;

drop view if exists read_models.wallet_transactions;

create view read_models.wallet_transactions as select * from read_models.wallet_transactions_g1;

drop view if exists read_models.wallet_entries;

create view read_models.wallet_entries as select * from read_models.wallet_entries_g1;

drop table if exists read_models.wallets_g0;

drop table if exists read_models.wallet_transactions_g0;

drop table if exists read_models.wallet_entries_g0;

drop view if exists read_models.notifications;

create view read_models.notifications as select * from read_models.notifications_g1;

drop table if exists read_models.notifications_g0;

drop view if exists read_models.mails;

create view read_models.mails as select * from read_models.mails_g1;

drop table if exists read_models.mails_g0;

-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists usage;
create table if not exists usage.api_keys (key_id text primary key, last_used_at timestamptz not null);

-- Two processes that start at once must not make the schema at once.
select pg_advisory_xact_lock(7305513262);
create schema if not exists reactors;
create table if not exists reactors.checkpoints (name text primary key, position bigint not null);
