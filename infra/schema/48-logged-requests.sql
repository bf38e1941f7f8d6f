-- A standby of PostgreSQL 15 that takes over cannot read an unlogged sequence, so no request would be logged any more.
-- The sequence is made anew, because one that cannot be read cannot be altered either.

do $$
begin
  alter table console.requests alter column id drop identity;
  execute format(
    'alter table console.requests alter column id add generated always as identity (start with %s)',
    (select coalesce(max(r.id), 0) + 1 from console.requests r));
  alter sequence console.requests_id_seq set logged;
end $$;
