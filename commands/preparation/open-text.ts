import type { Limits } from '../../contract/limits.ts';
import { createBudget, type WorkClock, workClock } from '../../limits/budgets.ts';
import type { Turn } from '../../limits/turn.ts';
import { geometryOf } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import { countPages } from '../../postal/text-layout.ts';
import type { CountryCode } from '../../postal/types.ts';
import { checkText } from './check-letter.ts';
import type { CountPages } from './letter-input.ts';

/** A text that can be printed, and the only way to have its pages counted: its faces are open. */
export type OpenText = { text: string; count: CountPages };

/** CHOICE: ten pages take less; what a caller may be in debt with, and how fast it is forgiven. */
const usualMs = 20;
const mostMs = 2_000;
const forgivenPerMs = 0.1;

export type OpenTextOf = (content: string, country: CountryCode, by: string) => Promise<OpenText>;

/**
 * Checks a text and opens the faces that it is set in. It is laid out once for each body of a page, which
 * most services of a country share. Long texts in some scripts take as long as hundreds of other requests, and
 * all wait for them: `by`, the account or address that has them set, is bounded in its time.
 * @throws AppError content_not_printable, body_too_large, rate_limited
 */
export const createOpenText = (
  { metrics, limits }: { metrics: FontMetrics; limits: Limits },
  time: WorkClock = workClock,
): OpenTextOf => {
  const wayOut = 'Long texts of this caller took too much time to set lately; send shorter ones';
  const budget = createBudget({ usualMs, mostMs, forgivenPerMs, wayOut, now: time.now });

  /** @throws AppError rate_limited */
  const timed = <T>(by: string, work: () => T): T => {
    const turn: Turn = { standing: 'confirmed', account: by };
    budget.assertLeft(turn);
    const before = time.workedMs();
    try {
      return work();
    } finally {
      budget.charge(turn, time.workedMs() - before);
    }
  };

  return async (content, country, by) => {
    const text = timed(by, () => checkText(content, metrics, limits));
    await metrics.shaping?.load([text]);
    const counted = new Map<string, number>();
    const count: CountPages = (service, envelope) => {
      const sheet = geometryOf(country, service, envelope);
      const body = JSON.stringify([sheet.page, sheet.margins, sheet.bodyTop]);
      const pages = counted.get(body) ?? timed(by, () => countPages(text, sheet, metrics));
      counted.set(body, pages);
      return pages;
    };
    return { text, count };
  };
};
