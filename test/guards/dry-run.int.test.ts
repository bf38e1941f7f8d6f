import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { decidingDenial, denialBody } from '../../commands/policies/denial.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { type AppError, isAppError } from '../../contract/errors.ts';
import { account, createLetterWorld, letterTo, newYork, plainly } from '../support/letter-world.ts';

const limit = fc.oneof(
  fc.record({
    amountCents: fc.integer({ min: 100, max: 1_500 }),
    per: fc.constantFrom('letter', 'day', 'total'),
  }),
  fc.record({ letters: fc.integer({ min: 1, max: 3 }), per: fc.constantFrom('hour', 'total') }),
);
const when = fc.record({
  countries: fc.uniqueArray(fc.constantFrom('FR', 'US'), { minLength: 1, maxLength: 2 }),
});
const rules = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.record({ effect: fc.constant('allow'), when, limit }) },
      { weight: 1, arbitrary: fc.record({ effect: fc.constant('deny'), when }) },
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((list) => list.map((rule, index) => ({ id: `r${index}`, ...rule }) as WantedRule));

const step = fc.record({
  afterMs: fc.integer({ min: 0, max: 3 * 3_600_000 }),
  country: fc.constantFrom('FR', 'US'),
  isDraft: fc.boolean(),
});

/** What a step came to, as a caller would see it. */
const outcomeOf = async (work: () => Promise<object>): Promise<object> => {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, extra } = error as AppError;
    return code === 'policy_denied' ? { outcome: 'denied', ...extra } : { code };
  }
};

describe('a dry run', () => {
  it('says what the send then does, and changes nothing, over any policy and history', async () => {
    await fc.assert(
      fc.asyncProperty(
        rules,
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.bigInt({ min: 0n, max: 2_000n }),
        async (wanted, steps, cents) => {
          const world = createLetterWorld({ oneCommit: true });
          await world.fund(cents + 1n);
          const maker = { subjects: [], mayRaise: true };
          await world.handler
            .handle(walletAggregate, account, world.context(), (wallet) =>
              setPolicy(wallet, {
                type: 'SetPolicy',
                subject: 'account',
                wanted: { timeZone: 'UTC', rules: wanted },
                maker,
              }),
            )
            // A policy that contradicts itself is refused: letters go without one.
            .catch((error: unknown) => expect(isAppError(error)).to.equal(true));
          for (const { afterMs, country, isDraft } of steps) {
            world.time.now += afterMs;
            const input = letterTo(country === 'US' ? newYork : {});
            const { letters } = world;
            const ask = (more = '') => world.asked(randomUUID(), more);
            const draft = isDraft
              ? await letters.send(input, { ...plainly, draft: true }, ask())
              : undefined;
            const versionOf = async () =>
              (await world.process().handler.load(walletAggregate, account)).version;
            const before = await versionOf();
            const said = await outcomeOf(async () => {
              const letter = draft ? { draftId: draft.letterId } : input;
              const { price, judged } = await letters.judge(letter, plainly, ask());
              const denial = decidingDenial(judged.verdict.denials);
              if (denial) return { outcome: 'denied', ...denialBody(denial) };
              return { outcome: 'allowed', price };
            });
            expect(await versionOf()).to.equal(before);
            const done = await outcomeOf(async () => {
              const { terms } = draft
                ? await letters.sendDraft(draft.letterId, plainly, ask('send'))
                : await letters.send(input, plainly, ask());
              return { outcome: 'allowed', price: terms.price };
            });
            expect(said).to.deep.equal(done);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
