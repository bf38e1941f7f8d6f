-- Letters that accounts may send in 24 hours, counted for all processes together. A process takes several
-- at a time; those that it did not use it gives back.

create schema if not exists limits;

do $$
begin
  if to_regclass('limits.letter_grants') is not null then
    return;
  end if;
  create table limits.letter_grants (
    id         bigint generated always as identity primary key,
    account_id text collate "C" not null,
    count      int not null,                       -- letters
    until      timestamptz not null                -- none of them is sent later than that
  );
  create index on limits.letter_grants (account_id, until) include (count);
  -- Letters that were sent before letters were counted here.
  if to_regclass('read_models.letters') is not null then
    insert into limits.letter_grants (account_id, count, until)
      select account_id, count(*), max(created_at) from read_models.letters
      where status <> 'draft' and created_at > clock_timestamp() - interval '24 hours'
      group by account_id, date_trunc('minute', created_at);
  end if;
end $$;

-- By which key letters of it were given back last: a process gives back one batch after the other.
alter table limits.letter_grants add column if not exists returned_by uuid;

-- Gives p_counts letters of the grants p_ids back, once for each p_key. The others were sent p_ago seconds
-- ago at the latest.
create or replace function limits.return_letters(
  p_key uuid, p_ids bigint[], p_counts int[], p_ago double precision[])
returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update limits.letter_grants g
    set count = g.count - back.count, until = least(g.until, clock_timestamp() - make_interval(secs => back.ago)),
        returned_by = p_key
    from (
      select id, sum(c)::int as count, min(ago) as ago
      from unnest(p_ids, p_counts, p_ago) as one (id, c, ago) group by id
    ) back where g.id = back.id and g.returned_by is distinct from p_key;
  delete from limits.letter_grants g where g.id = any(p_ids) and g.count <= 0;
end $$;

-- Takes up to p_want letters for the next p_hold seconds out of the p_quota that the account may send in 24
-- hours: a fiftieth of what is left at most, so that little is held by a process that does not use it, but as
-- many as wait (p_waiting) and are there. None is left: wait_s says until when.
create or replace function limits.take_letters(
  p_account text, p_quota bigint, p_want int, p_waiting int, p_hold double precision)
returns table (id bigint, granted int, wait_s double precision) language plpgsql as $$
declare
  v_day constant interval := interval '24 hours';
  v_now timestamptz;
  v_left bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('letters of ' || p_account, 0));
  v_now := clock_timestamp();
  select p_quota - coalesce(sum(g.count), 0) into v_left
    from limits.letter_grants g where g.account_id = p_account and g.until > v_now - v_day;
  if v_left > 0 then
    granted := least(v_left, greatest(p_waiting, least(p_want, v_left / 50)));
    insert into limits.letter_grants (account_id, count, until)
      values (p_account, granted, v_now + make_interval(secs => p_hold))
      returning letter_grants.id into id;
    wait_s := 0;
    return next;
    return;
  end if;
  granted := 0;
  select extract(epoch from least(v_day, freed.until + v_day - v_now)) into wait_s
    from (
      select g.until, sum(g.count) over (order by g.until, g.id) as count
      from limits.letter_grants g where g.account_id = p_account and g.until > v_now - v_day
    ) freed
    where freed.count > -v_left order by freed.until limit 1;
  wait_s := coalesce(wait_s, extract(epoch from v_day));
  return next;
end $$;
