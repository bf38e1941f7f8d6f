/** The price that a caller pays at most, `max_total` of a request. */
import { AppError } from '../../contract/errors.ts';
import { decimalOf, dollars, type MicroUsd } from '../../money/amounts.ts';

/** @throws AppError max_total_exceeded */
export const assertWithin = (total: MicroUsd, maxTotalMicro: MicroUsd | undefined): void => {
  if (maxTotalMicro === undefined || total <= maxTotalMicro) return;
  throw new AppError(
    'max_total_exceeded',
    `The price is ${dollars(total)}, which is above max_total ${dollars(maxTotalMicro)}. Choose a cheaper service, or ask the payer before you raise max_total.`,
    { extra: { total: decimalOf(total), currency: 'USD' } },
  );
};
