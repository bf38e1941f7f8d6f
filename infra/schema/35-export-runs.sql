-- The run that makes an export: it names the parts and their key. Another one begins when a letter is erased meanwhile.
-- Null: of an earlier version.
alter table exports.exports add column run uuid;
