-- Roots: the keys that wrap data keys and from which all other keys of the service are derived. A root lies here only
-- sealed under a key-encryption key, which the database never sees.

create table keys.roots (
  n        int primary key check (n > 0),
  -- added: known to every process, not used yet; active: seals what is new; old: opens what it sealed; retired:
  -- destroyed, except for the keys derived from it that index what is in the log.
  state    text collate "C" not null check (state in ('added', 'active', 'old', 'retired')),
  made_at  timestamptz not null default now()
);
create unique index one_active_root on keys.roots (state) where state = 'active';

-- A root under a key-encryption key; under two of them while that key is changed.
create table keys.root_seals (
  root      int not null references keys.roots,
  kek       text collate "C" not null,         -- names the key-encryption key
  sealed    text collate "C" not null,
  sealed_at timestamptz not null default now(),
  primary key (root, kek)
);

-- Counts the changes to the roots. A process holds a shared advisory lock on the version that it has read.
create table keys.root_version (
  one     boolean primary key default true check (one),
  version int not null
);
insert into keys.root_version (version) values (0);

alter table keys.data_keys add column wrapped_by int not null default 1;
alter table identity.private_keys add column wrapped_by int not null default 1;

-- Refuses what was wrapped by a retired root. A root retires under a lock on the table of data keys, so a writer that
-- calls this while it holds its own lock on that table sees it, or is seen.
create function keys.assert_roots(p_roots int[]) returns boolean language plpgsql as $$
begin
  if exists (select from keys.roots r where r.n = any(p_roots) and r.state = 'retired') then
    raise exception 'a data key was wrapped by a retired root' using errcode = 'KR001';
  end if;
  return true;
end $$;

-- As in 03-append.sql, with the root that wrapped each data key. The function there stays for processes of the version before.
create function event_log.append(
  p_requests int[], p_streams text, p_expected bigint[], p_counts int[],
  p_parts int[], p_nth int[], p_ids uuid[], p_types text, p_data text, p_metadata text,
  p_key_requests int[], p_subjects text, p_wrapped text, p_roots int[]
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
    insert into keys.data_keys (subject, wrapped, wrapped_by)
    select k.subject, k.wrapped, k.root
    from unnest(p_key_requests, string_to_array(p_subjects, separator),
                string_to_array(p_wrapped, separator), p_roots) as k (request, subject, wrapped, root)
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

  perform keys.assert_roots(p_roots);

  select h.position into new_head from event_log.head h;
  if new_head > head then
    perform pg_notify('event_log', new_head::text);
  end if;
end $$;
