-- Digests of recipients that accounts wrote to, for rules about known recipients. They propose letters; the streams of
-- these letters decide. A digest lives no longer than the data key of its letter.

create schema if not exists guards;

create table guards.recipients (
  letter     text collate "C" primary key,     -- the letter's stream, as keys.data_keys has it
  account_id text collate "C" not null,
  digest     text collate "C" not null,        -- keyed, of the account and the normalised name and address
  noted_at   timestamptz not null default now()
);
create index recipients_of_account on guards.recipients (account_id, digest, noted_at);

-- Notes the recipient of a letter whose data key was not erased.
create function guards.note_recipient(p_letter text, p_account text, p_digest text) returns void language sql as $$
  insert into guards.recipients (letter, account_id, digest)
  select k.subject, p_account, p_digest from keys.data_keys k
    where k.subject = p_letter and k.wrapped is not null for share
  on conflict (letter) do nothing
$$;

create function guards.forget_recipient() returns trigger language plpgsql as $$
begin
  delete from guards.recipients where letter = new.subject;
  return null;
end $$;

create trigger forget_recipient after update of wrapped on keys.data_keys
  for each row when (new.wrapped is null) execute function guards.forget_recipient();
