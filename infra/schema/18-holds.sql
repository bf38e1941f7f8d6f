-- The ledger of the budgets that all processes share. A hold takes an amount of a budget until it is given back or its
-- time is over. limits/table.ts has the number of each budget.

create table limits.holds (
  id          bigint generated always as identity primary key,
  budget      text collate "C" not null,       -- letters, drafts, gas, payments
  owner       text collate "C" not null,       -- whose budget it is: an account, or the account of a payer
  key         text collate "C",                -- what it is held for
  amount      bigint not null,
  until       timestamptz not null,            -- it counts no longer
  returned_by uuid,                            -- the batch that gave back a part of it last
  unique (budget, key)
);
create index holds_of_owner on limits.holds (budget, owner, until) include (amount);

-- Locks a budget of an owner until the end of the transaction, forgets holds whose time is over, and sums the others.
create function limits.held(p_budget text, p_owner text) returns bigint language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended(p_budget || ' of ' || p_owner, 0));
  delete from limits.holds h
    where h.budget = p_budget and h.owner = p_owner and h.until < clock_timestamp();
  return (select coalesce(sum(h.amount), 0)::bigint from limits.holds h
    where h.budget = p_budget and h.owner = p_owner);
end $$;

-- Takes an amount of a budget that limits.held has locked, for p_seconds.
create function limits.hold(p_budget text, p_owner text, p_key text, p_amount bigint, p_seconds double precision)
returns bigint language sql as $$
  insert into limits.holds (budget, owner, key, amount, until)
  values (p_budget, p_owner, p_key, p_amount, clock_timestamp() + make_interval(secs => p_seconds))
  returning id
$$;

-- Letters: taken for the next p_hold seconds out of the p_quota that the account may send in 24 hours. A fiftieth of
-- the rest at most, so that a process that does not use them holds few, but as many as wait (p_waiting) if they are
-- there. Without a rest, wait_s is the time until there is one.
create or replace function limits.take_letters(
  p_account text, p_quota bigint, p_want int, p_waiting int, p_hold double precision)
returns table (id bigint, granted int, wait_s double precision) language plpgsql as $$
declare
  v_day constant double precision := 86400;
  v_left bigint := p_quota - limits.held('letters', p_account);
begin
  if v_left > 0 then
    granted := least(v_left, greatest(p_waiting, least(p_want, v_left / 50)));
    id := limits.hold('letters', p_account, null, granted, p_hold + v_day);
    wait_s := 0;
    return next;
    return;
  end if;
  granted := 0;
  select least(v_day, extract(epoch from freed.until - clock_timestamp())) into wait_s
    from (
      select h.until, sum(h.amount) over (order by h.until, h.id) as amount
      from limits.holds h where h.budget = 'letters' and h.owner = p_account
    ) freed
    where freed.amount > -v_left order by freed.until limit 1;
  wait_s := coalesce(wait_s, v_day);
  return next;
end $$;

-- Gives back p_counts letters of the holds p_ids, once for each p_key. The others were sent p_ago seconds ago at the
-- latest.
create or replace function limits.return_letters(
  p_key uuid, p_ids bigint[], p_counts int[], p_ago double precision[])
returns void language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
  update limits.holds h
    set amount = h.amount - back.count, returned_by = p_key,
        until = least(h.until, clock_timestamp() + interval '24 hours' - make_interval(secs => back.ago))
    from (
      select id, sum(c)::int as count, min(ago) as ago
      from unnest(p_ids, p_counts, p_ago) as one (id, c, ago) group by id
    ) back where h.id = back.id and h.returned_by is distinct from p_key;
  delete from limits.holds h where h.id = any(p_ids) and h.amount <= 0;
end $$;

-- Drafts: one of the p_quota drafts of an account, until the read model shows it. `known`: it was held before, or is
-- there.
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
        and coalesce(l.deleted_at, 'infinity') = 'infinity' limit p_quota
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

-- Gas: p_gas for a payment whose payer has nothing on the way, or at most p_ceiling with it. `before`: it is held
-- already. ahead: the amounts of the payments that were held before this one.
create or replace function limits.hold_gas(
  p_payer text, p_payment uuid, p_gas bigint, p_ceiling bigint, p_amount bigint, p_hold double precision)
returns table (held text, ahead bigint) language plpgsql as $$
declare
  v_gas bigint := limits.held('gas', p_payer);
  v_amount bigint := limits.held('payments', p_payer);
  v_id bigint := (
    select h.id from limits.holds h where h.budget = 'payments' and h.key = p_payment::text);
begin
  if v_id is not null then
    held := 'before';
    ahead := (select coalesce(sum(h.amount), 0) from limits.holds h
      where h.budget = 'payments' and h.owner = p_payer and h.id < v_id);
  else
    ahead := v_amount;
    if v_gas = 0 or v_gas + p_gas <= p_ceiling then
      perform limits.hold('gas', p_payer, p_payment::text, p_gas, p_hold);
      perform limits.hold('payments', p_payer, p_payment::text, p_amount, p_hold);
      held := 'now';
    end if;
  end if;
  return next;
end $$;

-- The tables of the version before move into the ledger. Its processes go on with views of the same names.
lock table limits.letter_grants, limits.draft_holds, limits.gas_holds in access exclusive mode;
insert into limits.holds (id, budget, owner, amount, until, returned_by) overriding system value
  select id, 'letters', account_id, count, until + interval '24 hours', returned_by from limits.letter_grants;
select setval(pg_get_serial_sequence('limits.holds', 'id'), (select coalesce(max(id), 0) + 1 from limits.holds));
insert into limits.holds (budget, owner, key, amount, until)
  select 'drafts', account_id, letter_id::text, 1, until from limits.draft_holds
  union all select 'gas', payer_id, payment_id::text, gas, until from limits.gas_holds;
insert into limits.holds (budget, owner, key, amount, until)
  select 'payments', payer_id, payment_id::text, amount_micro, until from limits.gas_holds order by id;
drop table limits.letter_grants, limits.draft_holds, limits.gas_holds;

create view limits.letter_grants as
  select id, owner as account_id, amount as count, until - interval '24 hours' as until
  from limits.holds where budget = 'letters';
create view limits.draft_holds as
  select key::uuid as letter_id, owner as account_id, until from limits.holds where budget = 'drafts';
create view limits.gas_holds as
  select key::uuid as payment_id, owner as payer_id, until
  from limits.holds where budget in ('gas', 'payments');
