/** Migrates the database at the first argument, and hangs in the second file. */
import { migrate } from '../../infra/schema/migrate.ts';

await migrate(process.argv[2] as string, [
  { number: 1, subject: 'first', sql: 'create table public.first (n int)' },
  {
    number: 2,
    subject: 'second',
    sql: 'create table public.second (n int); select pg_sleep(2); create table public.third (n int)',
  },
]);
