-- Gas that transactions of ours may take which settle payments and are on the way, by payer, in all processes
-- together.

create table if not exists limits.gas_holds (
  id           bigint generated always as identity primary key,
  payment_id   uuid not null unique,
  payer_id     text collate "C" not null,        -- the payer's own account
  gas          bigint not null,
  amount_micro bigint not null,
  until        timestamptz not null              -- it counts no longer
);
create index if not exists gas_holds_of_payer on limits.gas_holds (payer_id);

-- Holds p_gas for a payment whose payer has nothing on the way, or no more than p_ceiling with it. `before`: it is
-- held already. ahead: the amounts of the payments that were held before this one.
create or replace function limits.hold_gas(
  p_payer text, p_payment uuid, p_gas bigint, p_ceiling bigint, p_amount bigint, p_hold double precision)
returns table (held text, ahead bigint) language plpgsql as $$
declare
  v_now timestamptz;
  v_gas bigint;
  v_id bigint;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('gas of ' || p_payer, 0));
  v_now := clock_timestamp();
  delete from limits.gas_holds h where h.payer_id = p_payer and h.until < v_now;
  select h.id into v_id from limits.gas_holds h where h.payment_id = p_payment;
  if found then
    held := 'before';
  else
    select sum(h.gas) into v_gas from limits.gas_holds h where h.payer_id = p_payer;
    if v_gas is null or v_gas + p_gas <= p_ceiling then
      insert into limits.gas_holds (payment_id, payer_id, gas, amount_micro, until)
        values (p_payment, p_payer, p_gas, p_amount, v_now + make_interval(secs => p_hold))
        returning id into v_id;
      held := 'now';
    end if;
  end if;
  select coalesce(sum(h.amount_micro), 0) into ahead
    from limits.gas_holds h where h.payer_id = p_payer and (v_id is null or h.id < v_id);
  return next;
end $$;
