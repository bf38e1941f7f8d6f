-- Archives whose letters and logos are sealed with their own data keys, so that each can be erased without the others.
-- False: of an earlier version, to be removed.
alter table exports.exports add column in_pieces boolean not null default false;
