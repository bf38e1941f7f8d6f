import type { TopUps } from '../../commands/payments/top-ups.ts';
import type { Reactor } from '../reactor.ts';

/** Credits what was paid, also when whoever put that on record died before. */
export const createFinishTopUps = ({ topUps }: { topUps: Pick<TopUps, 'finish'> }): Reactor => ({
  name: 'finish-top-ups',
  react(event) {
    if (event.type !== 'TopUpPaid') return undefined;
    const { topUpId } = event.data;
    return () => topUps.finish(topUpId);
  },
});
