/** Checks letters after production: each was printed once, charged once, and has its credentials. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';

/** Letters by the log, after production: each reserved amount is captured, once. */
const lettersInLog = `
with moved as (
  select data::json #>> '{purpose,id}' as letter, type,
    (data::json->>'cryptoMicro')::bigint + (data::json->>'fiatMicro')::bigint as micro
  from event_log.events where type in ('FundsReserved', 'FundsCaptured')
), charged as (
  select letter, count(*) filter (where type = 'FundsReserved') as reserved,
    count(*) filter (where type = 'FundsCaptured') as captured,
    sum(case type when 'FundsReserved' then micro else -micro end) as difference
  from moved group by letter
)
select (select count(*) from event_log.events where type = 'LetterQueued') as queued,
  (select count(*) from event_log.events where type = 'PrintJobAccepted') as accepted,
  (select count(distinct stream) from event_log.events where type = 'PrintJobAccepted') as printed,
  (select count(*) from charged where captured = 1) as charged,
  (select count(*) from charged where reserved <> 1 or captured <> 1 or difference <> 0) as wrong,
  (select count(*) from read_models.wallets where held_crypto_micro + held_fiat_micro <> 0) as holding`;

type LettersInLog = Record<
  'queued' | 'accepted' | 'printed' | 'charged' | 'wrong' | 'holding',
  string
>;

/** A problem per expectation that does not hold of `letters` letters. */
export const verifyPrinted = async (
  admin: pg.Client,
  taken: readonly { letterId: string }[],
  letters: number,
): Promise<string[]> => {
  const { rows } = await admin.query<LettersInLog>(lettersInLog);
  const log = rows[0];
  const found: [what: string, wanted: number, found: number][] = [
    ['letters in the log', letters, Number(log?.queued)],
    ['tickets', letters, taken.length],
    ['letters with a ticket', letters, new Set(taken.map(({ letterId }) => letterId)).size],
    ['records of the hand-over', letters, Number(log?.accepted)],
    ['letters handed over', letters, Number(log?.printed)],
    ['letters charged', letters, Number(log?.charged)],
    ['letters charged wrongly', 0, Number(log?.wrong)],
    ['wallets that still hold something', 0, Number(log?.holding)],
  ];
  return found
    .filter(([, wanted, count]) => wanted !== count)
    .map(([what, wanted, count]) => `${what}: ${count}, should be ${wanted}`);
};

const stallMs = 30_000;

/** Milliseconds until every event has its credential. */
export const untilCredentialed = async (
  admin: pg.Client,
  patienceMs = stallMs,
): Promise<number> => {
  const began = performance.now();
  for (;;) {
    const { rows } = await admin.query<{ behind: string }>(
      `select (select position from event_log.head) - (select position from identity.log) as behind`,
    );
    if (Number(rows[0]?.behind) === 0) return performance.now() - began;
    if (performance.now() - began > patienceMs) {
      throw new Error(`${rows[0]?.behind} events without a credential`);
    }
    await delay(50);
  }
};
