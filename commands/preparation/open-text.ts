import type { Limits } from '../../limits/table.ts';
import type { CallerRef } from '../../limits/turn.ts';
import { type Geometry, geometryOf } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import { servicesOf } from '../../postal/services.ts';
import { bodyText, countPages } from '../../postal/text-layout.ts';
import type { CountryCode } from '../../postal/types.ts';
import { assertContentSize, checkText } from './check-letter.ts';
import type { CountPages } from './letter-input.ts';

/** A text that can be printed, and the only way to have its pages counted: its faces are open. */
export type OpenText = { text: string; count: CountPages };

export type OpenTextOf = (
  content: string,
  country: CountryCode,
  by: CallerRef,
) => Promise<OpenText>;

/**
 * Checks a text and counts its pages in a thread.
 * @throws AppError content_not_printable, overloaded, rate_limited
 */
type SetLongText = (
  content: string,
  sheet: Geometry,
  by: CallerRef,
) => Promise<{ text: string; pages: number }>;

/**
 * CHOICE: how many UTF-16 units are set on the event loop. Measured: 100,000 units of a script that is set glyph by
 * glyph take 1.5 ms; 1,000 units of a script that is shaped take up to 3 ms (Myanmar, Tibetan).
 */
const plainUnitsMax = 100_000;
const shapedUnitsMax = 1_000;

/** Whether setting a text takes so long that other requests would notice. */
const isLongText = (content: string, { shaping }: FontMetrics): boolean =>
  content.length > plainUnitsMax ||
  (content.length > shapedUnitsMax && shaping?.needed(content) === true);

/** Whether it is the first text here that needs a face. The next one finds it open. */
const needsClosedFace = (content: string, { shaping }: FontMetrics): boolean => {
  if (!shaping || shaping.isLoaded(content)) return false;
  // A face that does not open is needed by the next text again.
  shaping.load([content]).catch(() => undefined);
  return true;
};

/** The part of a sheet that decides how many pages a text has. */
const bodyOf = ({ page, margins, bodyTop }: Geometry): string =>
  JSON.stringify([page, margins, bodyTop]);

/** Checks a text and opens its faces; its pages are counted once for each body of a page. */
const openHere = async (
  content: string,
  country: CountryCode,
  { metrics, limits }: { metrics: FontMetrics; limits: Limits },
): Promise<OpenText> => {
  const text = checkText(content, metrics, limits);
  await metrics.shaping?.load([text]);
  const counted = new Map<string, number>();
  const count: CountPages = (service, envelope) => {
    const sheet = geometryOf(country, service, envelope);
    const options = { ...bodyText, pagesMax: limits.pages };
    const pages = counted.get(bodyOf(sheet)) ?? countPages(text, sheet, metrics, options);
    counted.set(bodyOf(sheet), pages);
    return pages;
  };
  return { text, count };
};

/** The services of a country share the body of a page, as a rule. */
const firstSheetOf = (country: CountryCode): Geometry => {
  const [service] = servicesOf(country);
  if (service === undefined) throw new Error(`${country} has no service`);
  return geometryOf(country, service.id);
};

const openElsewhere = async (
  content: string,
  country: CountryCode,
  by: CallerRef,
  setLongText: SetLongText,
): Promise<OpenText> => {
  const counted = new Map<string, number>();
  const set = async (sheet: Geometry): Promise<string> => {
    const { text, pages } = await setLongText(content, sheet, by);
    counted.set(bodyOf(sheet), pages);
    return text;
  };
  const text = await set(firstSheetOf(country));
  const count: CountPages = async (service, envelope) => {
    const sheet = geometryOf(country, service, envelope);
    if (!counted.has(bodyOf(sheet))) await set(sheet);
    return counted.get(bodyOf(sheet)) ?? 0;
  };
  return { text, count };
};

/**
 * Checks texts, and sets them to count their pages up to the limit. Long texts, and the first ones in a
 * script, are set in a thread, so that they delay no other work.
 * @param ports.setLongText absent: there are no threads
 */
export const createOpenText = (ports: {
  metrics: FontMetrics;
  limits: Limits;
  setLongText?: SetLongText;
}): OpenTextOf => {
  const { metrics, limits, setLongText } = ports;
  return async (content, country, by) => {
    assertContentSize(content, limits);
    return setLongText && (isLongText(content, metrics) || needsClosedFace(content, metrics))
      ? openElsewhere(content, country, by, setLongText)
      : openHere(content, country, ports);
  };
};
