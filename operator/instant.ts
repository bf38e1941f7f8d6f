import { isDay } from '../ground/day.ts';

/** Epoch ms of a time with a time zone, such as 2026-11-20T14:00:00Z; NaN for any other text. */
export const instantIn = (text: string): number =>
  /^[-\d]{10}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) && isDay(text.slice(0, 10))
    ? Date.parse(text)
    : Number.NaN;
