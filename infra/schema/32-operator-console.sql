-- Why the last run of a job failed, and since when its runs fail: for operators, without personal data.
alter table work.jobs add column error text;
alter table work.jobs add column failing_since timestamptz;

-- The language that an operator chose at sign-in; null: the browser's.
alter table console.operator_sessions add column language text collate "C";
