/** The price of a bitcoin: as configured, or the median of sources that agree. */
import { request } from 'undici';
import {
  type BitcoinRate,
  type CurrentRate,
  microPerBitcoin,
} from '../../../commands/payments/lightning.ts';
import { AppError } from '../../../contract/errors.ts';
import { type Clock, toTimestamp } from '../../../ground/clock.ts';
import { singleFlight } from '../../../ground/single-flight.ts';

/** `path`: of the amount in the JSON that is answered, by dots. */
export type RateSource = { url: string; path: string };

const timeoutMs = 5_000;
/** The furthest that a source may lie from the median, in hundredths. */
const maxDeviation = 2;

const stale = (why: string): AppError =>
  new AppError(
    'payment_unavailable',
    `There is no current bitcoin price (${why}). Try again soon, or pay in another way.`,
    {
      headers: { 'Retry-After': '30' },
    },
  );

const memberOf = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (found, name) =>
        typeof found === 'object' && found !== null && Object.hasOwn(found, name)
          ? (found as Record<string, unknown>)[name]
          : undefined,
      value,
    );

/** @throws Error where there is no amount */
const ask = async ({ url, path }: RateSource): Promise<string> => {
  const answer = await request(url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
  const value = String(memberOf(await answer.body.json(), path));
  microPerBitcoin(value);
  return value;
};

export const fixedRate = (value: string, clock: Clock): CurrentRate => {
  return async () => ({ value, source: 'configuration', at: toTimestamp(clock()) });
};

/** Asked at most once in `maxAgeMs`, and never older than that. */
export const sourcedRate = (ports: {
  sources: readonly RateSource[];
  clock: Clock;
  maxAgeMs: number;
}): CurrentRate => {
  const { sources, clock, maxAgeMs } = ports;
  let known: { rate: BitcoinRate; atMs: number } | undefined;

  const askAll = singleFlight(async (): Promise<BitcoinRate> => {
    const answers = await Promise.allSettled(sources.map(ask));
    const values = answers
      .flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
      .toSorted((a, b) => Number(microPerBitcoin(a) - microPerBitcoin(b)));
    const median = values[Math.floor((values.length - 1) / 2)];
    // Of several sources, one alone proves nothing.
    if (median === undefined || (sources.length > 1 && values.length < 2))
      throw stale('no source answers');
    const middle = microPerBitcoin(median);
    const far = values.some((value) => {
      const distance = microPerBitcoin(value) - middle;
      return (distance < 0n ? -distance : distance) * 100n > middle * BigInt(maxDeviation);
    });
    if (far) throw stale('its sources differ');
    const atMs = clock();
    const rate = { value: median, source: 'median of sources', at: toTimestamp(atMs) };
    known = { rate, atMs };
    return rate;
  });

  return async () => {
    const ageMs = known && clock() - known.atMs;
    // After the clock was set back, nobody knows how old it is.
    const isFresh = ageMs !== undefined && ageMs >= 0 && ageMs < maxAgeMs;
    return known && isFresh ? known.rate : askAll();
  };
};
