import { expect } from 'chai';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { createExpireApprovals } from '../../reactors/expire-approvals.ts';

describe('the end of approvals', () => {
  it('comes to those behind any number that cannot be ended', async () => {
    const ended: string[] = [];
    const handler = {
      load: async (_: unknown, letterId: string) => {
        if (letterId.startsWith('stuck')) throw new Error('an event of a newer version');
        return { state: { status: 'none' } };
      },
      handle: async (_: unknown, letterId: string) => {
        ended.push(letterId);
        return { events: [{}] };
      },
    } as unknown as CommandHandler;
    const stuck = Array.from({ length: 450 }, (_, n) => `stuck-${n}`);
    const expiresAt = new Date(0);
    const due = [...stuck, 'letter'].map((id) => ({ letterId: id, approvalId: id, expiresAt }));
    const expire = createExpireApprovals({
      handler,
      clock: () => 0,
      approvalsDue: async (_, limit, after) => {
        const from = due.findIndex(({ approvalId }) => approvalId === after?.approvalId) + 1;
        return due.slice(from, from + limit);
      },
    });
    const error = await expire().catch((reason: Error) => reason.message);
    expect(error).to.equal('an event of a newer version');
    expect(ended).to.deep.equal(['letter']);
  });
});
