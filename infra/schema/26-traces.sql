-- The trace that appended an event, so that the spans of what follows from it are linked to the request. Rows exist
-- only while spans are exported, and for a week. They are no part of the log: losing them loses links.

create schema tracing;
create unlogged table tracing.parents (
  key         text collate "C" primary key,       -- id of an event, or name of a stream that began
  traceparent text not null,
  noted_at    timestamptz not null default now()
);
create index parents_noted_at on tracing.parents (noted_at);
