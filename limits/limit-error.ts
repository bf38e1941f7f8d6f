import { AppError, type ErrorCode } from '../contract/errors.ts';
import { type LimitName, limitTable } from './table.ts';

/** The limits beyond which a caller gets an error. */
export type RefusingLimit = {
  [Name in LimitName]: (typeof limitTable)[Name] extends { error: ErrorCode } ? Name : never;
}[LimitName];

/** The refusal of a request that is beyond a limit: its code is the one that the limit's row names. */
export const limitError = (
  name: RefusingLimit,
  detail: string,
  about?: ConstructorParameters<typeof AppError>[2],
): AppError => new AppError(limitTable[name].error, detail, about);
