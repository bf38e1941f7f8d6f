import type { Static } from 'typebox';
import { letterStatuses } from '../contract/letter-status.ts';
import { Type } from '../ground/type.ts';
import type { LetterCounts as Counted } from '../projections/letters/query.ts';

const Letters = Type.Integer({ minimum: 0 });

export const LetterCounts = Type.Named('LetterCounts', {
  total: Letters,
  by_status: Type.Object(
    Object.fromEntries(letterStatuses.map((status) => [status, Letters])) as Record<
      (typeof letterStatuses)[number],
      typeof Letters
    >,
  ),
  returned: Type.Integer({
    minimum: 0,
    description: 'Letters that came back. They also count in `by_status`.',
  }),
});

export const presentCounts = ({ byStatus, returned }: Counted): Static<typeof LetterCounts> => {
  const counts = letterStatuses.map((status) => [status, byStatus.get(status) ?? 0] as const);
  return {
    total: counts.reduce((sum, [, letters]) => sum + letters, 0),
    by_status: Object.fromEntries(counts) as Static<typeof LetterCounts>['by_status'],
    returned,
  };
};
