/** Days of the calendar in UTC, written `YYYY-MM-DD`. */

export const dayMs = 86_400_000;

/** The day of a moment in epoch ms. */
export const dayOf = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);

/** The day that comes `count` days after another; a negative `count` goes back. */
export const addDays = (day: string, count: number): string =>
  dayOf(Date.parse(`${day}T00:00:00Z`) + count * dayMs);

/** Whether a text is a day that exists. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && dayOf(ms) === text;
};
