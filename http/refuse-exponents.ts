import { invalidField } from '../contract/refusals.ts';

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;

/**
 * Refuses a number that is written with an exponent, like 1e3: its sender may have meant another amount.
 * @param json valid JSON
 * @throws AppError validation_failed
 */
export const refuseExponents = (json: string): void => {
  if (!/\de/i.test(json)) return;
  const check: Reviver = (name, value, { source = '' }) => {
    if (typeof value !== 'number' || !/e/i.test(source)) return value;
    const what = name === '' ? 'The body' : name;
    const detail = `${what} must be written in digits, like 1000 (it is ${source.slice(0, 40)}).`;
    throw invalidField(name === '' ? '' : `/${name}`, 'not_allowed', detail);
  };
  JSON.parse(json, check as Parameters<typeof JSON.parse>[1]);
};
