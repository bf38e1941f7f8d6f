import type { Limits } from '../../contract/limits.ts';
import { geometryOf } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import { countPages } from '../../postal/text-layout.ts';
import type { CountryCode } from '../../postal/types.ts';
import { checkText } from './check-letter.ts';
import type { CountPages } from './letter-input.ts';

/** A text that can be printed, and the only way to have its pages counted: its faces are open. */
export type OpenText = { text: string; count: CountPages };

/**
 * Checks a text and opens the faces that it is set in. It is laid out once for each body of a page, which
 * most services of a country share.
 * @throws AppError content_not_printable, body_too_large
 */
export const openText = async (
  content: string,
  country: CountryCode,
  { metrics, limits }: { metrics: FontMetrics; limits: Limits },
): Promise<OpenText> => {
  const text = checkText(content, metrics, limits);
  await metrics.shaping?.load([text]);
  const counted = new Map<string, number>();
  const count: CountPages = (service, envelope) => {
    const sheet = geometryOf(country, service, envelope);
    const body = JSON.stringify([sheet.page, sheet.margins, sheet.bodyTop]);
    const pages = counted.get(body) ?? countPages(text, sheet, metrics);
    counted.set(body, pages);
    return pages;
  };
  return { text, count };
};
