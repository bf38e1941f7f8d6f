-- A draft whose personal data were erased after RETENTION_DAYS can no longer be sent, so it takes no room of a new draft.
-- Before, it counted until its owner deleted it.

-- As in file 18, without erased drafts: nothing is due for them any more, so they have no over_at.
create or replace function limits.take_draft(p_account text, p_letter uuid, p_quota bigint, p_hold double precision)
returns text language plpgsql as $$
declare
  v_drafts bigint;
begin
  perform limits.held('drafts', p_account);
  delete from limits.holds h where h.budget = 'drafts' and h.owner = p_account
    and exists (select 1 from read_models.letters l where l.letter_id = h.key::uuid);
  if exists (select 1 from limits.holds h where h.budget = 'drafts' and h.key = p_letter::text)
    or exists (select 1 from read_models.letters l where l.letter_id = p_letter) then
    return 'known';
  end if;
  -- In one statement: a draft that becomes visible meanwhile is counted once. The condition is that of the index
  -- of letters by account and status (projections/letters/table.ts).
  select (
    select count(*) from (
      select 1 from read_models.letters l
      where l.account_id = p_account and l.status = 'draft'
        and coalesce(l.deleted_at, 'infinity') = 'infinity' and l.over_at is not null limit p_quota
    ) found
  ) + (
    select count(*) from limits.holds h where h.budget = 'drafts' and h.owner = p_account
      and not exists (select 1 from read_models.letters l where l.letter_id = h.key::uuid)
  ) into v_drafts;
  if v_drafts >= p_quota then
    return null;
  end if;
  perform limits.hold('drafts', p_account, p_letter::text, 1, p_hold);
  return 'now';
end $$;
