-- What a sign-in or its confirmation rests on, so that it ends with that.

alter table console.sessions add column confirmed_by text collate "C"; -- the key of the passkey that confirmed who is there
-- Digest of the settings of the identity provider that let an operator in; null: a link did.
alter table console.operator_sessions add column settings_hash text collate "C";
