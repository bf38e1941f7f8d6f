-- Nodes may have print folders of their own, each with its own mark. Earlier versions knew one mark for all.
create table reactors.folder_marks (
  mark       uuid primary key,                  -- what a print folder was last marked with
  next_mark  uuid unique,                       -- what it is being marked with
  renewed_at timestamptz not null default now() -- by the clock of the database
);
