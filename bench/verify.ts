/** Checks after a run: every acknowledged letter exists once and is charged once. */
import type pg from 'pg';
import type { AckedLetter } from './load/plan.ts';

export type Verdict = { facts: string; problems: string[] };

/** A problem per expectation that does not hold. */
const unequal = (expectations: [what: string, wanted: unknown, found: unknown][]): string[] =>
  expectations
    .filter(([, wanted, found]) => String(wanted) !== String(found))
    .map(([what, wanted, found]) => `${what}: ${found}, should be ${wanted}`);

const one = async <T>(client: pg.Client, sql: string, values: unknown[] = []): Promise<T> => {
  const { rows } = await client.query(sql, values);
  return rows[0] as T;
};

/** Letters by the log: queued once, reserved once for the price of the letter, nothing else. */
const lettersInLog = `
with queued as (
  select substr(stream, 8) as letter, data::json #> '{terms,price,charge}' as charge
  from event_log.events where type = 'LetterQueued'
), letters as (
  select letter, count(*) as times, min(10000 * (
    (charge->>'subtotalCryptoCents')::bigint + (charge->>'commissionCryptoCents')::bigint +
    (charge->>'subtotalFiatCents')::bigint + (charge->>'commissionFiatCents')::bigint)) as price
  from queued group by letter
), reserved as (
  select data::json #>> '{purpose,id}' as letter, count(*) as times,
    sum((data::json->>'cryptoMicro')::bigint + (data::json->>'fiatMicro')::bigint) as held
  from event_log.events where type = 'FundsReserved' group by 1
)
select count(letters.letter) as letters, count(reserved.letter) as reservations,
  count(*) filter (where letters.times <> 1) as queued_again,
  count(*) filter (where reserved.times <> 1) as reserved_again,
  count(*) filter (where letters.price is distinct from reserved.held) as mischarged,
  coalesce(sum(letters.price), 0) as total
from letters full join reserved on reserved.letter = letters.letter`;

type LettersInLog = {
  letters: string;
  reservations: string;
  queued_again: string;
  reserved_again: string;
  mischarged: string;
  total: string;
};

/** Wallets of the read model against a fold of the log. */
const walletsAgainstLog = `
with moved as (
  select regexp_replace(stream, '^wallet-(.*)-[0-9]+$', '\\1') as account,
    coalesce(sum((data::json->>'amountMicro')::bigint) filter (where type = 'FundsCredited'), 0) as credited,
    coalesce(sum((data::json->>'cryptoMicro')::bigint + (data::json->>'fiatMicro')::bigint)
      filter (where type = 'FundsReserved'), 0) as reserved
  from event_log.events where type in ('FundsCredited', 'FundsReserved') group by 1
)
select count(*) filter (where w.account_id is null
    or w.crypto_micro + w.fiat_micro <> credited - reserved
    or w.held_crypto_micro + w.held_fiat_micro <> reserved) as wrong,
  (select coalesce(sum(crypto_micro + fiat_micro), 0) from read_models.ledger_accounts) as ledger,
  (select count(*) from read_models.letters) as letters,
  (select count(*) from read_models.ledger_entries where type = 'FundsReserved') as holds
from moved left join read_models.wallets w on w.account_id = account`;

type WalletsAgainstLog = { wrong: string; ledger: string; letters: string; holds: string };

const missingIds = (acked: AckedLetter[], stored: string[]): number => {
  const ids = new Set(stored);
  return acked.filter(([letterId]) => !ids.has(letterId)).length;
};

/**
 * The service's own log and read models. Requests without an answer may have been done or not, so there may
 * be this many letters more.
 */
export const verifyService = async (
  client: pg.Client,
  acked: AckedLetter[],
  unanswered: number,
): Promise<Verdict> => {
  const log = await one<LettersInLog>(client, lettersInLog);
  const wallets = await one<WalletsAgainstLog>(client, walletsAgainstLog);
  const { rows } = await client.query<{ id: string }>(
    `select substr(stream, 8) as id from event_log.events where type = 'LetterQueued'`,
  );
  const missing = missingIds(
    acked,
    rows.map(({ id }) => id),
  );
  const extra = Number(log.letters) - acked.length;
  const problems = [
    ...(extra < 0 || extra > unanswered ? [`${log.letters} letters for ${acked.length} acks`] : []),
    ...unequal([
      ['acknowledged twice', acked.length, new Set(acked.map(([id]) => id)).size],
      ['acknowledged letters missing in the log', 0, missing],
      ['letters queued more than once', 0, log.queued_again],
      ['letters reserved more than once', 0, log.reserved_again],
      ['letters charged wrongly', 0, log.mischarged],
      ['reservations', log.letters, log.reservations],
      ['wallets that differ from the log', 0, wallets.wrong],
      ['sum of the ledger', 0, wallets.ledger],
      ['letters in the read model', log.letters, wallets.letters],
      ['holds in the read model', log.letters, wallets.holds],
    ]),
  ];
  const facts = `${acked.length} letters acknowledged, ${log.letters} in the log, each once, $${(Number(log.total) / 1e6).toFixed(2)} held, ledger sums to ${wallets.ledger}`;
  return { facts, problems };
};

const crudState = `
select (select count(*) from letters) as letters,
  (select count(distinct letter_id) from wallet_entries) as charged,
  (select count(*) from wallet_entries) as entries,
  (select count(*) from (
    select w.account_id from wallets w left join wallet_entries e using (account_id)
    group by w.account_id, w.balance_micro
    having w.balance_micro <> $1 + coalesce(sum(e.amount_micro), 0)) t) as wrong`;

type CrudState = { letters: string; charged: string; entries: string; wrong: string };

/** The CRUD version is held to the same. */
export const verifyCrud = async (
  client: pg.Client,
  acked: AckedLetter[],
  startMicro: bigint,
): Promise<Verdict> => {
  const state = await one<CrudState>(client, crudState, [startMicro]);
  const { rows } = await client.query<{ id: string }>('select id from letters');
  const missing = missingIds(
    acked,
    rows.map(({ id }) => id),
  );
  const problems = unequal([
    ['letters', acked.length, state.letters],
    ['letters charged', acked.length, state.charged],
    ['entries', acked.length, state.entries],
    ['acknowledged letters missing', 0, missing],
    ['wallets that differ from their entries', 0, state.wrong],
  ]);
  return { facts: `${acked.length} letters acknowledged, ${state.letters} stored`, problems };
};
