import type { Db } from '../../ground/db.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Limits } from '../../limits/table.ts';
import { receiptsOfWallet } from '../../projections/ledger/query.ts';

/** CHOICE: how long it is known from where an account was registered. */
const keptDays = 90;

/** Returns how many rows went. */
export const sweepRegistrations = async (db: Db): Promise<number> => {
  const { rowCount } = await db.query(
    'delete from limits.registrations where at < clock_timestamp() - make_interval(days => $1)',
    [keptDays],
  );
  return rowCount ?? 0;
};

/** Without a limit (0) every address may register. */
const most = 2 ** 31 - 1;

/** How far back registrations count. */
const countedSeconds = ({
  registrationsPerHour,
  registrationsPerDay,
}: Pick<Limits, 'registrationsPerHour' | 'registrationsPerDay'>): number => {
  if (registrationsPerDay > 0) return 86_400;
  return registrationsPerHour > 0 ? 3_600 : 0;
};

type Row = { admitted: boolean; wait_s: number };

/**
 * Counts a new account of an address, for all processes together.
 * @param address keyed digest
 * @throws AppError rate_limited when the address registered too many accounts in an hour or a day
 */
export const admitRegistration = async (
  db: Db,
  { accountId, address }: { accountId: string; address: string },
  limits: Pick<Limits, 'registrationsPerHour' | 'registrationsPerDay'>,
): Promise<void> => {
  const { registrationsPerHour, registrationsPerDay } = limits;
  const { rows } = await db.query<Row>(
    `with before as (
       select at from limits.registrations
       where address = $2 and account_id <> $1 and at > statement_timestamp() - make_interval(secs => $5)
     ), hour as (
       select count(*) as made, min(at) as first from before
       where at > clock_timestamp() - interval '1 hour'
     ), day as (select count(*) as made, min(at) as first from before),
     wait as (
       select greatest(
         case when hour.made >= $3 then hour.first + interval '1 hour' end,
         case when day.made >= $4 then day.first + interval '1 day' end) as until
       from hour, day
     ), admitted as (
       insert into limits.registrations (account_id, address)
       select $1, $2 from wait where until is null
       on conflict (account_id) do update set address = excluded.address, at = excluded.at
       returning 1
     )
     select exists (select 1 from admitted) as admitted,
       coalesce(ceil(extract(epoch from until - clock_timestamp())), 1)::int as wait_s from wait`,
    [
      accountId,
      address,
      registrationsPerHour || most,
      registrationsPerDay || most,
      countedSeconds(limits),
    ],
  );
  const [row] = rows;
  if (!row) throw new Error('a registration is admitted or not');
  if (row.admitted) return;
  const seconds = Math.max(1, row.wait_s);
  throw limitError(
    'registrationsPerHour',
    `Too many accounts were registered from this address. Try again in ${seconds} s, or use an existing account.`,
    { headers: { 'Retry-After': String(seconds) } },
  );
};

type KnownStanding = {
  live: boolean;
  confirmed: boolean;
  /** It was credited with money. */
  funded: boolean;
  registeredFrom: string | undefined;
};

type StandingRow = {
  test: boolean | null;
  confirmed: boolean;
  funded: boolean;
  address: string | null;
};

/** The facts that decide whose turn comes first. An account that is not known yet has none. */
export const standingOf = async (db: Db, accountId: string): Promise<KnownStanding> => {
  const { rows } = await db.query<StandingRow>(
    `select a.test, a.confirmed_at is not null as confirmed, r.address,
       exists (select from read_models.ledger_entries
               where ${receiptsOfWallet('$1')} and type = 'FundsCredited') as funded
     from (select 1) one
     left join read_models.accounts a on a.account_id = $1
     left join limits.registrations r on r.account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  return {
    live: row?.test === false,
    confirmed: row?.confirmed ?? false,
    funded: row?.funded ?? false,
    registeredFrom: row?.address ?? undefined,
  };
};
