-- Appends many independent requests in one transaction. A request has a part for each of its streams,
-- and all of its parts are appended or none.
--
-- Per part:                              Per event, in the order of the parts:
--   p_requests  number of its request      p_parts  number of its part, from 1
--   p_streams   names, see below           p_nth    number within its part, from 1
--   p_expected  version, -1: none          p_ids
--   p_counts    number of events           p_types, p_data, p_metadata
--
-- Per data key that must become durable with a request:
--   p_key_requests, p_subjects, p_wrapped
-- A subject that has a key already, or had one, fails the call (unique_violation of data_keys_pkey).
--
-- Texts come as one text each, separated by U+001E, which JSON text never holds raw: cheaper by far
-- than an array whose every quote is escaped and parsed again.
--
-- Returns a row per part, in order: `ok` with version and position of its last event, also when the very
-- same request was stored before; `wrong_version` with the stream's actual version; or `not_alone` when
-- another part of its request has a wrong version. A request that does not fit leaves its neighbours alone.
create or replace function event_log.append(
  p_requests int[], p_streams text, p_expected bigint[], p_counts int[],
  p_parts int[], p_nth int[], p_ids uuid[], p_types text, p_data text, p_metadata text,
  p_key_requests int[], p_subjects text, p_wrapped text
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
  with part as materialized (
    select p.n, p.request, p.stream, p.expected, p.count,
      coalesce((select e.version from event_log.events e
                where e.stream = p.stream order by e.version desc limit 1), -1) as actual
    from unnest(p_requests, string_to_array(p_streams, separator), p_expected, p_counts)
      with ordinality as p (request, stream, expected, count, n)
  ),
  refused as materialized (
    select distinct p.request from part p where p.actual <> p.expected
  ),
  accepted as materialized (
    select p.n, p.request, p.stream, p.expected, p.count,
      head + sum(p.count) over (order by p.n) - p.count as before
    from part p where p.request not in (select r.request from refused r)
  ),
  inserted as (
    insert into event_log.events (position, stream, version, id, type, data, metadata)
    select a.before + e.nth, a.stream, a.expected + e.nth, e.id, e.type, e.data, e.metadata
    from unnest(p_parts, p_nth, p_ids, string_to_array(p_types, separator),
                string_to_array(p_data, separator), string_to_array(p_metadata, separator))
      as e (part, nth, id, type, data, metadata)
    join accepted a on a.n = e.part
  ),
  keyed as (
    insert into keys.data_keys (subject, wrapped)
    select k.subject, k.wrapped
    from unnest(p_key_requests, string_to_array(p_subjects, separator),
                string_to_array(p_wrapped, separator)) as k (request, subject, wrapped)
    where k.request not in (select r.request from refused r)
  ),
  bumped as (
    update event_log.head h set position = head + (select sum(a.count) from accepted a)
    where exists (select from accepted)
  ),
  again as materialized (
    -- Of a refused request: the same append may have come before and its answer been lost.
    select p.n, p.request, s.position
    from part p
    left join lateral (
      select max(e.position) as position
      from unnest(p_parts, p_nth, p_ids, string_to_array(p_data, separator),
                  string_to_array(p_metadata, separator)) as same (part, nth, id, data, metadata)
      join event_log.events e
        on e.id = same.id and e.stream = p.stream and e.version = p.expected + same.nth
        and e.data = same.data and e.metadata = same.metadata
      where same.part = p.n
      having count(*) = p.count
    ) s on true
    where p.request in (select r.request from refused r)
  ),
  answered as materialized (
    select s.request from again s group by s.request having count(s.position) = count(*)
  )
  select
    case when a.n is not null or s.request is not null then 'ok'
         when p.actual <> p.expected then 'wrong_version' else 'not_alone' end,
    case when a.n is not null or s.request is not null then p.expected + p.count else p.actual end,
    coalesce(a.before + a.count, g.position)::bigint
  from part p
  left join accepted a on a.n = p.n
  left join again g on g.n = p.n
  left join answered s on s.request = p.request
  order by p.n;

  select h.position into new_head from event_log.head h;
  if new_head > head then
    perform pg_notify('event_log', new_head::text);
  end if;
end $$;
