import type { Html } from '../html.ts';

/** Why the values of fields are refused, by the name of the field. */
export type WrongFields = ReadonlyMap<string, Html>;
