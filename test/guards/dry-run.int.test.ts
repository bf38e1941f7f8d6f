import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { freeze, unfreeze } from '../../commands/guards/freeze.ts';
import { recipientDigest } from '../../commands/guards/guarded-letter.ts';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { startProduction } from '../../commands/letters/letter-production.ts';
import { needOf } from '../../commands/policies/approvals.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { decidingDenial, denialBody } from '../../commands/policies/denial.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { type AppError, isAppError } from '../../contract/errors.ts';
import type { Intent } from '../../postal/types.ts';
import { rejectionOf } from '../support/decider-spec.ts';
import {
  account,
  createLetterWorld,
  type LetterWorld,
  letterTo,
  newYork,
  plainly,
} from '../support/letter-world.ts';
import { makeContract } from '../support/volume-contract.ts';

const hour = 3_600_000;
const periods = ['hour', 'day', 'month', 'rolling_24h', 'total'] as const;
const limit = fc.oneof(
  fc.record({
    amountCents: fc.integer({ min: 100, max: 1_500 }),
    per: fc.constantFrom('letter', ...periods),
  }),
  fc.record({ letters: fc.integer({ min: 1, max: 3 }), per: fc.constantFrom(...periods) }),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 4 });
const some = <T>(...values: T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: values.length });
const names = ['Ada Lovelace', 'Grace Hopper'];
const placeOf = (country: string, name: string) => ({
  ...(country === 'US' ? newYork : {}),
  name,
});
const digestOf = (country: string, name: string): string =>
  recipientDigest(createLetterWorld().indexOf, account, letterTo(placeOf(country, name)).to);

/** Every member of a rule, most of them absent. */
const matches = fc.record({
  countries: some('FR', 'US'),
  contentKinds: maybe(some('text', 'html')),
  intents: maybe(some('transactional', 'bulk_marketing')),
  priceAboveCents: maybe(fc.integer({ min: 50, max: 400 })),
  recipients: maybe(some(...names.map((name) => digestOf('FR', name)))),
});
const known = (value: boolean) =>
  fc.record({ countries: some('FR', 'US'), knownRecipient: fc.constant(value) });
const rule = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ effect: fc.constant('allow'), when: maybe(matches), limit }),
  },
  { weight: 2, arbitrary: fc.record({ effect: fc.constant('allow') }) },
  { weight: 1, arbitrary: fc.record({ effect: fc.constant('allow'), when: known(true) }) },
  { weight: 1, arbitrary: fc.record({ effect: fc.constant('deny'), when: matches }) },
  { weight: 1, arbitrary: fc.record({ effect: fc.constant('deny'), when: known(false) }) },
  { weight: 1, arbitrary: fc.record({ effect: fc.constant('hold'), when: matches }) },
  { weight: 1, arbitrary: fc.record({ effect: fc.constant('hold'), when: known(false) }) },
  { weight: 1, arbitrary: fc.record({ effect: fc.constant('alert'), when: matches, limit }) },
);
/** JSON leaves out what is undefined, as a request does. */
const rules = fc
  .array(rule, { minLength: 1, maxLength: 4 })
  .map(
    (list) =>
      JSON.parse(
        JSON.stringify(list.map((one, index) => ({ id: `r${index}`, ...one }))),
      ) as WantedRule[],
  );

const timeZone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu');

const step = fc.record({
  afterMs: fc.oneof(
    fc.integer({ min: 0, max: 3 * hour }),
    fc.integer({ min: 0, max: 30 * 24 * hour }),
  ),
  country: fc.constantFrom('FR', 'US'),
  name: fc.constantFrom(...names),
  intent: fc.constantFrom('transactional', 'bulk_marketing'),
  isLong: fc.boolean(),
  isDraft: fc.boolean(),
  /** With a UCAN whose policy applies, too. */
  isDelegated: fc.boolean(),
  afterwards: fc.constantFrom('nothing', 'nothing', 'print', 'cancel', 'freeze', 'unfreeze'),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const ucan = 'ucan:the-delegated-one';

const setAll = async (
  world: LetterWorld,
  timeZoneOf: string,
  policies: [subject: string, rules: WantedRule[]][],
): Promise<void> => {
  for (const [subject, wanted] of policies) {
    const maker = { subjects: [], mayRaise: true };
    await world.handler
      .handle(walletAggregate, account, world.context(), (wallet) =>
        setPolicy(wallet, {
          type: 'SetPolicy',
          subject,
          wanted: { timeZone: timeZoneOf, rules: wanted },
          maker,
        }),
      )
      // A policy that contradicts itself is refused: letters go without one.
      .catch((error: unknown) => expect(isAppError(error)).to.equal(true));
  }
};

/** Continues a letter before the next one is sent. */
const goOn = async (world: LetterWorld, letterId: string, { afterwards, country, name }: Step) => {
  const { handler } = world;
  if (afterwards === 'print') {
    await handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      letter.status === 'queued'
        ? startProduction(letter, {
            type: 'StartProduction',
            partner: 'house',
            jobId: letterId,
            source: 'partner',
          })
        : [],
    );
    await world.recipients.note(letterId, account, digestOf(country, name));
  } else if (afterwards === 'cancel') {
    await handler
      .handle(letterAggregate, letterId, world.context(), cancelLetter)
      .catch((error: unknown) => expect(isAppError(error)).to.equal(true));
  } else if (afterwards !== 'nothing') {
    const maker = { subjects: [] };
    await handler.handle(walletAggregate, account, world.context(), (wallet) =>
      afterwards === 'freeze'
        ? freeze(wallet, { type: 'Freeze', subject: ucan, maker })
        : unfreeze(wallet, { type: 'Unfreeze', subject: ucan, maker }),
    );
  }
  await world.settle(letterId);
};

const reasonsIn = (needs: readonly { policy: string; rules: readonly string[] }[]) =>
  needs.map(({ policy, rules: ids }) => ({ policy, rules: ids }));

/** The outcome of a step, as a caller sees it. */
const outcomeOf = async (work: () => Promise<object>): Promise<object> => {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, extra } = error as AppError;
    return code === 'policy_denied' ? { outcome: 'denied', ...extra } : { code };
  }
};

/** The outcome of a dry run, and that of the send. */
const bothOf = async (world: LetterWorld, one: Step): Promise<{ said: object; done: object }> => {
  const { country, name, intent, isLong, isDraft, isDelegated } = one;
  const text = isLong ? 'A long page. '.repeat(900) : 'Bonjour.';
  const input = letterTo(placeOf(country, name), {
    content: { kind: 'text', text },
    intent: intent as Intent,
  });
  const { letters } = world;
  const keyIds = isDelegated ? [ucan] : [];
  const ask = (more = '') => world.asked(randomUUID(), more, { keyIds });
  const draft = isDraft ? await letters.send(input, { ...plainly, draft: true }, ask()) : undefined;
  const versionOf = async () =>
    (await world.process().handler.load(walletAggregate, account)).version;
  const before = await versionOf();
  const said = await outcomeOf(async () => {
    const letter = draft ? { draftId: draft.letterId } : input;
    const { price, judged } = await letters.judge(letter, plainly, ask());
    const { denials, holds } = judged.verdict;
    const denial = decidingDenial(denials);
    if (denial) return { outcome: 'denied', ...denialBody(denial) };
    if (holds.length === 0) return { outcome: 'allowed', price };
    return { outcome: 'held', price, reasons: reasonsIn(holds.map(needOf)) };
  });
  expect(await versionOf()).to.equal(before);
  let letterId = draft?.letterId;
  const done = await outcomeOf(async () => {
    const sent = draft
      ? await letters.sendDraft(draft.letterId, plainly, ask('send'))
      : await letters.send(input, plainly, ask());
    letterId = sent.letterId;
    const { price } = sent.terms;
    if (!sent.approval) return { outcome: 'allowed', price };
    return { outcome: 'held', price, reasons: reasonsIn(sent.approval.needs) };
  });
  if (letterId !== undefined) await goOn(world, letterId, one);
  return { said, done };
};

describe('a dry run', function () {
  this.timeout(180_000);

  it('says what the send then does, and changes nothing, over all kinds of rules and any history', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(
        rules,
        rules,
        timeZone,
        fc.array(step, { minLength: 1, maxLength: 8 }),
        fc.bigInt({ min: 0n, max: 4_000n }),
        async (ofAccount, ofUcan, zone, steps, cents) => {
          const world = createLetterWorld({ oneCommit: true });
          await world.fund(cents + 1n);
          await setAll(world, zone, [
            ['account', ofAccount],
            [ucan, ofUcan],
          ]);
          for (const one of steps) {
            world.time.now += one.afterMs;
            const { said, done } = await bothOf(world, one);
            expect(said).to.deep.equal(done);
            const { outcome, code } = done as { outcome?: string; code?: string };
            const name = outcome ?? code ?? '';
            seen.set(name, (seen.get(name) ?? 0) + 1);
          }
        },
      ),
      { numRuns: 200 },
    );
    // An outcome that never happens is not tested, so each has to be seen.
    expect([...seen.keys()]).to.include.members([
      ...['allowed', 'held', 'denied', 'frozen', 'insufficient_funds'],
    ]);
  });

  it('refuses the discount of a contract that is settled, as the send and the price of a payment do', async () => {
    const world = createLetterWorld({ oneCommit: true });
    await world.fund(10_000n);
    await makeContract(world, '2026-11-04T00:00:00.000Z');
    const input = letterTo();
    const payment = {
      accountId: account,
      test: false,
      actor: 'payer',
      keyIds: [],
      bucket: 'crypto' as const,
    };
    const owner = { accountId: account, letterId: randomUUID(), test: false };
    const outcomes = async (key: string) => [
      await rejectionOf(world.letters.judge(input, plainly, world.asked(`dry ${key}`))),
      await rejectionOf(world.letters.price(input, owner, { payment })),
      await rejectionOf(world.letters.send(input, plainly, world.asked(key))),
    ];
    world.time.now = Date.parse('2026-11-10T23:59:59.000Z');
    expect(await outcomes('before')).to.deep.equal([undefined, undefined, undefined]);
    world.time.now += 1_000;
    const refused = 'quote_expired';
    expect(await outcomes('after')).to.deep.equal([refused, refused, refused]);
  });
});
