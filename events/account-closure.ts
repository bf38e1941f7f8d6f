/**
 * Events of the end of an account. They are in its stream, `account-<account_id>`.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import type { EventDefinitions } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Instant = Type.String({ minLength: 20, maxLength: 30 });
const Count = Type.Integer({ minimum: 0 });
export const accountClosureEvents = {
  /** The account is erased at `erasesAt`, or later as soon as no blocker is left. */
  AccountClosureRequested: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      closureId: Id,
      erasesAt: Instant,
      /** The operator keeps the balance of the wallet. */
      forfeitsBalance: Type.Boolean(),
      requestHash: Type.String({ minLength: 1, maxLength: 64 }),
    }),
  },
  /** The account stays open. */
  AccountClosureWithdrawn: {
    version: 1,
    data: Type.Exact({ accountId: Id, closureId: Id }),
  },
  /** From here on nothing takes the closure back: keys and settings end with the same append. */
  AccountErasureBegun: {
    version: 1,
    data: Type.Exact({ accountId: Id, closureId: Id }),
  },
  /** Everything personal is erased, except the address that gets the certificate. Its key goes next. */
  AccountErased: {
    version: 1,
    data: Type.Exact({
      accountId: Id,
      closureId: Id,
      /** How many were erased with the account. */
      letters: Count,
      ucans: Count,
      payments: Count,
      /** Years of which the books are kept under keys of their own. */
      booksOf: Type.Array(Type.Integer({ minimum: 2000, maximum: 9999 }), { maxItems: 100 }),
    }),
  },
} as const satisfies EventDefinitions;
