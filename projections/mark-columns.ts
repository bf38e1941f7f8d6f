/**
 * SQL that gives a table of checkpoints the columns of the last event that went into it: they say which log
 * the checkpoint belongs to. Locks the table only where they are missing.
 */
export const markColumns = (table: string): string => `
do $$ begin
  if not exists (select from pg_attribute
                 where attrelid = '${table}'::regclass and attname = 'event_id' and not attisdropped) then
    alter table ${table}
      add column if not exists event_position bigint, add column if not exists event_id uuid;
  end if;
end $$;`;
