/** The price that a page showed caps what the form of that page may cost. */
import { fieldOf } from './form.ts';

/** A price as the most that a send may cost: whole cents. */
export const capOf = (total: number): string => (Math.ceil(total * 100 - 1e-6) / 100).toFixed(2);

/** The price that the person saw, USD; undefined where the form has none. A send above it is refused. */
export const seenPriceIn = (form: URLSearchParams): number | undefined => {
  const text = fieldOf(form, 'seen_price') ?? '';
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? Number(text) : undefined;
};
