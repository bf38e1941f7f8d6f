-- Drafts that are about to be kept, and those that the read model does not show yet: what an account has is
-- these and the drafts there.

create schema if not exists limits;

create table if not exists limits.draft_holds (
  letter_id  uuid primary key,
  account_id text collate "C" not null,
  until      timestamptz not null              -- it was kept by then, or never
);
create index if not exists draft_holds_of_account on limits.draft_holds (account_id);

-- Holds one of the p_quota drafts of an account for a letter. `known`: it was held before, or is there.
create or replace function limits.take_draft(p_account text, p_letter uuid, p_quota bigint, p_hold double precision)
returns text language plpgsql as $$
declare
  v_now timestamptz;
  v_drafts bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('drafts of ' || p_account, 0));
  v_now := clock_timestamp();
  delete from limits.draft_holds h where h.account_id = p_account
    and (h.until < v_now or exists (select 1 from read_models.letters l where l.letter_id = h.letter_id));
  if exists (select 1 from limits.draft_holds h where h.letter_id = p_letter)
    or exists (select 1 from read_models.letters l where l.letter_id = p_letter) then
    return 'known';
  end if;
  -- In one statement: a draft that becomes visible meanwhile is counted once. The condition is that of the index
  -- of letters by account and status (projections/letters/table.ts).
  select (
    select count(*) from (
      select 1 from read_models.letters l
      where l.account_id = p_account and l.status = 'draft'
        and coalesce(l.deleted_at, 'infinity') = 'infinity' limit p_quota
    ) found
  ) + (
    select count(*) from limits.draft_holds h where h.account_id = p_account
      and not exists (select 1 from read_models.letters l where l.letter_id = h.letter_id)
  ) into v_drafts;
  if v_drafts >= p_quota then
    return null;
  end if;
  insert into limits.draft_holds values (p_letter, p_account, v_now + make_interval(secs => p_hold));
  return 'now';
end $$;
