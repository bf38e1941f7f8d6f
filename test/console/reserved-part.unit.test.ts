/** Links below the letters for which money is reserved. */
import { expect } from 'chai';
import type { Visit } from '../../pages/console/visit.ts';
import { reservedPart } from '../../pages/console/wallet/reserved-part.ts';
import { markup } from '../../pages/html.ts';

const visit = { language: 'en', at: (path: string) => path } as Visit;
const part = (more: { hasMore: boolean; hasMoreHeld: boolean }): string =>
  markup(reservedPart({ queued: [], held: [], ...more }, visit));

describe('the letters for which money is reserved', () => {
  it('lead to the lists of those that the wallet does not show', () => {
    const approvals = '<a href="/approvals">All letters that wait for approval</a>';
    const queued = '<a href="/letters?status=queued">All letters that wait for production</a>';
    expect(part({ hasMore: false, hasMoreHeld: true }))
      .to.contain(approvals)
      .and.not.contain(queued);
    expect(part({ hasMore: true, hasMoreHeld: false }))
      .to.contain(queued)
      .and.not.contain(approvals);
  });
});
