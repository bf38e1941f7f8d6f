-- What a sign-in or its confirmation rests on, so that it ends with that.

alter table console.sessions add column confirmed_by text collate "C"; -- the key of the passkey that confirmed who is there
