create schema if not exists usage;
create table if not exists usage.api_keys (key_id text primary key, last_used_at timestamptz not null);
