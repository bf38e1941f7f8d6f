/** The log of a run, and the policies at a place in it: without the folds and the rules of the product. */
import type { WantedRule } from '../../../commands/policies/check-policy.ts';
import { subjectOf } from '../../../events/data-keys.ts';
import { type DecodedEvent, decodeEvent, openPersonal } from '../../../events/envelope.ts';
import { isLetterStream, type LetterTerms, letterIdIn } from '../../../events/letter.ts';
import type { Policy } from '../../../events/policy.ts';
import type { WalletEvent } from '../../../events/wallet.ts';
import { chargeOfCents, totalOf } from '../../../money/charge.ts';
import type { World } from './world.ts';

export type Happened = DecodedEvent & { letterId: string | undefined; who: string; atMs: number };
export const fits = ({ when }: Pick<WantedRule, 'when'>, country: string, micro: number): boolean =>
  (when?.countries?.includes(country) ?? true) && micro > (when?.priceAboveCents ?? 0) * 10_000;

export const totalMicro = ({ price }: LetterTerms): number =>
  Number(totalOf(chargeOfCents(price.charge)));

export const readLog = async ({ store, dataKeys }: World): Promise<Happened[]> => {
  const recorded = await store.readAll({ after: 0n, limit: 100_000 });
  return Promise.all(
    recorded.map(async (one) => {
      const event = decodeEvent(one);
      const key = isLetterStream(one.stream)
        ? await dataKeys.get(subjectOf(one.stream))
        : undefined;
      const opened = key ? openPersonal(event, key) : event;
      const { actor, at } = event.metadata;
      const letterId = isLetterStream(one.stream) ? letterIdIn(one.stream) : undefined;
      return { ...opened, letterId, who: actor, atMs: Date.parse(at) };
    }),
  );
};

/** Policies and freezes as they are at a place in the log. */
export const createState = () => ({
  policies: new Map<string, Policy>(),
  frozen: new Set<string>(),
});
type State = ReturnType<typeof createState>;

export const follow = ({ policies, frozen }: State, event: WalletEvent): void => {
  if (event.type === 'PolicySet') policies.set(event.data.subject, event.data);
  else if (event.type === 'PolicyRemoved') policies.delete(event.data.subject);
  else if (event.type === 'SpendingFrozen') frozen.add(event.data.subject);
  else if (event.type === 'SpendingUnfrozen') frozen.delete(event.data.subject);
};

export const applying = ({ policies }: State, subjects: Set<string>): Policy[] =>
  [...policies.values()].filter(({ subject }) => subject === 'account' || subjects.has(subject));
