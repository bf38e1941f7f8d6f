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
