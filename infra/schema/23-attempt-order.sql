-- Attempts are listed in the order in which they were made, whatever the clock said.

alter table deliveries.attempts add column attempt_id bigint;
update deliveries.attempts a set attempt_id = o.number
  from (select ctid, row_number() over (order by at) as number from deliveries.attempts) o
  where a.ctid = o.ctid;
alter table deliveries.attempts
  alter column attempt_id set not null,
  alter column attempt_id add generated always as identity;
select setval(pg_get_serial_sequence('deliveries.attempts', 'attempt_id'),
  (select coalesce(max(attempt_id), 0) + 1 from deliveries.attempts), false);
