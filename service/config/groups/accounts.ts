import { integer, oneOf } from '../config-parsers.ts';
import { group, plain } from '../group.ts';

export const accounts = group({
  settings: {
    REGISTRATION: plain(
      oneOf('open', 'closed'),
      '`open`',
      '`closed`: nobody can register; existing accounts keep working and can be recovered',
    ),
    ACCOUNT_ERASURE_DAYS: plain(
      integer(0, 365),
      '30',
      'days from the closure of an account to its [erasure](personal-data.md#erasure-of-an-account), in which it can be taken back',
    ),
    BOOKS_RETENTION_YEARS: plain(
      integer(1, 100),
      '10',
      'full calendar years for which the name of an erased account and the references of its credits are [kept for the books](personal-data.md#books)',
    ),
  },
  read: (set) => ({
    registrationClosed: set.REGISTRATION === 'closed',
    accountErasureDays: set.ACCOUNT_ERASURE_DAYS ?? 30,
    booksRetentionYears: set.BOOKS_RETENTION_YEARS ?? 10,
  }),
  describe: ({ registrationClosed }) =>
    registrationClosed ? ['registration: closed (REGISTRATION)'] : [],
});
