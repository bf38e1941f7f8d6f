/** What accounts pay less now, by their volume contracts. */
import { type DiscountOf, noDiscount } from '../../money/discount.ts';

export type Discounts = { of: DiscountOf };

export const createDiscounts = (): Discounts => ({ of: noDiscount });
