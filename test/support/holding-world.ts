/** An account whose policy holds every letter, over a store in memory. */

import { createPolicyChanges } from '../../commands/guards/change-book.ts';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import type { SendContext } from '../../commands/letters/pay-letter.ts';
import type { WantedPolicy } from '../../commands/policies/check-policy.ts';
import { isAnyRevoked } from '../../commands/ucans/was-revoked.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { decodeEvent } from '../../events/envelope.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Position } from '../../events/position.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import { aloneLease } from './lease.ts';
import { account, centsOf, createLetterWorld, letterTo, plainly } from './letter-world.ts';

export const hour = 3_600_000;
export const operator = {
  approver: 'operator',
  credential: { own: [], line: [] },
  hasFullScope: false,
};

export const holdsAll: WantedPolicy['rules'] = [
  { id: 'all', effect: 'allow' },
  { id: 'ask', effect: 'hold' },
];

/** Sets a policy of the account or of one of its credentials, as the owner. */
export const putPolicy = (
  { handler, context }: Pick<ReturnType<typeof createLetterWorld>, 'handler' | 'context'>,
  wanted: WantedPolicy,
  subject = 'account',
) =>
  handler.handle(walletAggregate, account, context(), (wallet) =>
    setPolicy(wallet, {
      type: 'SetPolicy',
      subject,
      wanted,
      maker: { subjects: [], mayRaise: true },
    }),
  );

export const createHoldingWorld = async (oneCommit: boolean, store?: EventStore) => {
  const world = createLetterWorld({ oneCommit, ...(store ? { store } : {}) });
  const { handler, clock } = world;
  await world.fund(1_000n);
  const put = (
    rules: WantedPolicy['rules'],
    { subject, ...more }: Partial<WantedPolicy> & { subject?: string } = {},
  ) => putPolicy(world, { timeZone: 'UTC', rules, ...more }, subject);
  await put(holdsAll);
  const settling = createSettleWallets({ handler, clock, patienceMs: 60_000 });
  let after: Position = 0n as Position;
  return {
    ...world,
    put,
    sweep: () => settling.sweep(),
    async react(): Promise<void> {
      for (const recorded of await world.store.readAll({ after })) {
        await settling.react(decodeEvent(recorded), after)?.(aloneLease);
        after = recorded.position;
      }
    },
    available: async () => centsOf((await world.wallet()).available),
    /** As another process of the service sends it. */
    send: (context: SendContext) => world.process().letters.send(letterTo(), plainly, context),
    types: async () => (await world.store.readAll({ after: 0n })).map(({ type }) => type),
  };
};

/** A key that is limited itself asks for a change of the policy of the account. */
export const askForChange = async (
  { handler, context }: Pick<ReturnType<typeof createLetterWorld>, 'handler' | 'context'>,
  rules: WantedPolicy['rules'],
  more: Partial<WantedPolicy> = {},
): Promise<string> => {
  const { asked } = await createPolicyChanges({ handler, isAnyRevoked }).request(
    account,
    {
      subject: 'account',
      wanted: { timeZone: 'UTC', rules, ...more },
      maker: { subjects: [], mayRaise: false },
      requester: { own: ['key_agent'], line: ['key_agent'] },
    },
    context(),
  );
  return asked ? asked.change.approvalId : '';
};
