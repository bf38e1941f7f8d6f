/** Volume contracts of some accounts over a log on PostgreSQL, with a clock that tests move. */
import { randomUUID } from 'node:crypto';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { queueLetter, updateLetter } from '../../commands/letters/letter-drafts.ts';
import { reportProgress, startProduction } from '../../commands/letters/letter-production.ts';
import { keptDiscountOf } from '../../commands/negotiation/discount-end.ts';
import { createMakeContract } from '../../commands/negotiation/make-contract.ts';
import { creditFunds } from '../../commands/wallets/credits.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import type { ContractPeriodLength } from '../../events/volume-contract.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { createDiscounts } from '../../infra/readers/discounts.ts';
import { centsOf, microOfCents } from '../../money/amounts.ts';
import { type Discount, discountOn } from '../../money/discount.ts';
import { projectBatch, readCheckpoint } from '../../projections/batch.ts';
import { contracts } from '../../projections/contracts/project.ts';
import { contractsDue, listContracts } from '../../projections/contracts/query.ts';
import { liveGeneration, rebuild } from '../../projections/rebuild.ts';
import { createClosePeriods } from '../../reactors/negotiation/close-periods.ts';
import { createForgottenCharge } from '../../reactors/negotiation/forgotten-charge.ts';
import { samplePersonal, sampleTerms } from './letter-samples.ts';
import { createMemoryDataKeys } from './memory-data-keys.ts';
import { openWorld } from './projection-world.ts';

const requestHash = 'r'.repeat(43);
const key = ed25519FromSeed(Buffer.alloc(32, 7));
const source = 'simulator' as const;

export const openContractWorld = async () => {
  const { store, db, log, url, close } = await openWorld();
  const dataKeys = createMemoryDataKeys();
  const time = { now: Date.parse('2026-01-31T12:00:00.000Z') };
  const clock = (): number => time.now;
  /** Whether letters wait that were due for production while the service was away. */
  const overdue = { any: false };
  const discounts = createDiscounts({ db, clock });

  /** As if the service ran once more. `lateMs`: how far its clock is behind. */
  const process = (lateMs = 0, over: typeof store = store) => {
    const handler = createCommandHandler({ store: over, dataKeys, clock: () => time.now - lateMs });
    const closePeriods = createClosePeriods({
      handler,
      clock,
      lowMicro: 0n,
      contractsDue: (...page) => contractsDue(db, ...page),
      isAnyOverdue: async () => overdue.any,
      forgottenCharge: createForgottenCharge(over),
    });
    return { handler, closePeriods };
  };
  const main = process();
  const context = () => ({ commandId: randomUUID(), actor: 'operator' });
  const makeContract = createMakeContract({
    handler: main.handler,
    clock,
    made: discounts.made,
    didOf: async () => 'did:key:z6MkAlice',
    signer: () => ({ kid: 'did:web:letters.example#1', sign: (data) => key.sign(data) }),
    serviceDid: () => 'did:web:letters.example',
    printedSince: async () => Number.MAX_SAFE_INTEGER,
  });
  const ports = { store, db, log };
  const kept = new Map();

  return {
    ...main,
    dataKeys,
    store,
    db,
    log,
    url,
    time,
    overdue,
    clock,
    discounts,
    process,
    context,
    close,

    openWallet: (accountId: string) =>
      main.handler.handle(walletAggregate, accountId, context(), (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId, test: false }),
        ...creditFunds(wallet, {
          type: 'CreditFunds',
          receipt: { method: 'operator', id: randomUUID() },
          bucket: 'fiat',
          amountMicro: 1_000_000n,
        }),
      ]),

    make: (
      accountId: string,
      more: {
        committedUnits?: number;
        period?: ContractPeriodLength;
        count?: number;
        lastMomentMs?: number;
        test?: boolean;
      } = {},
    ) =>
      makeContract(
        {
          accountId,
          test: false,
          requestHash,
          startsAt: undefined,
          timeZone: 'UTC',
          lastMomentMs: Number.POSITIVE_INFINITY,
          committedUnits: 51,
          period: 'month',
          count: 1,
          ...more,
        },
        context(),
      ),

    /** A letter that is accepted now, at the discount of now or at a locked one. */
    async send(
      accountId: string,
      { handler } = main,
      letterId: string = randomUUID(),
      locked?: Discount,
    ) {
      const discount = locked ?? (await discounts.of(accountId));
      const { price, ...terms } = sampleTerms({ accountId });
      const given = discount && { ...discount, amountCents: discount.basisPoints / 200 };
      await handler.handle(letterAggregate, letterId, context(), (letter) =>
        queueLetter(letter, {
          type: 'QueueLetter',
          terms: { ...terms, price: { ...price, ...(given ? { discount: given } : {}) } },
          personal: samplePersonal(),
          attemptId: randomUUID(),
          cancellableUntil: toTimestamp(time.now),
          releaseAt: toTimestamp(time.now),
          requestHash,
        }),
      );
      return letterId;
    },

    /**
     * A change of the recipient, for whom printing costs so much. It is decided now, and stored after `meanwhile`.
     * Nothing where the letter cannot be changed.
     */
    async change(
      letterId: string,
      printCents: number,
      meanwhile: () => Promise<unknown> = async () => {},
    ): Promise<void> {
      const { state } = await main.handler.load(letterAggregate, letterId);
      if (state.status !== 'queued' || !state.personal) return;
      const { terms, personal } = state;
      const { discount, fixedMicro } = await keptDiscountOf(main.handler, state, time.now);
      if (!discount) return;
      const { contractId, basisPoints } = discount;
      const amountMicro = fixedMicro ?? discountOn(microOfCents(printCents), discount);
      const given = { contractId, basisPoints, amountCents: centsOf(amountMicro) };
      await meanwhile();
      await main.handler.handle(letterAggregate, letterId, context(), (letter) =>
        updateLetter(letter, {
          type: 'UpdateLetter',
          terms: { ...terms, price: { ...terms.price, discount: given } },
          personal,
          changed: ['to'],
        }),
      );
    },

    /** Its production begins. */
    print: (letterId: string, { handler } = main) =>
      handler.handle(letterAggregate, letterId, context(), (letter) =>
        startProduction(letter, {
          type: 'StartProduction',
          partner: 'hotfolder',
          jobId: letterId,
          source,
        }),
      ),

    cancel: (letterId: string) =>
      main.handler.handle(letterAggregate, letterId, context(), cancelLetter),

    fail: (letterId: string) =>
      main.handler.handle(letterAggregate, letterId, context(), (letter) =>
        reportProgress(letter, {
          type: 'ReportProgress',
          source,
          step: 'failed',
          code: 'jam',
          stage: 'render',
          retryable: false,
          detail: 'A jam.',
        }),
      ),

    /** Projects one batch. Whether there was one. */
    async project(limit = 1_000): Promise<boolean> {
      const generation = await liveGeneration(db, contracts.name);
      const position = (await readCheckpoint(db, contracts.name, generation)) ?? 0n;
      const events = await store.readAll({ after: position as never, limit });
      const last = events.at(-1);
      if (!last) return false;
      const place = { projection: contracts, generation, position: position as never };
      await projectBatch({ store, db, kept }, [place], events, last.position);
      return true;
    },

    /** Makes the rows anew, and the tables the first time. */
    rebuild: () => rebuild(ports, [contracts]),
    contractsOf: (accountId: string) => listContracts(db, { accountId, limit: 1_000 }),
  };
};

export type ContractWorld = Awaited<ReturnType<typeof openContractWorld>>;
