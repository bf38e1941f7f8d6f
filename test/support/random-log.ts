/** A log of streams of several kinds, one command after the other: by chance, but always the same for a seed. */

import { randomUUID } from 'node:crypto';
import { freeze, unfreeze } from '../../commands/guards/freeze.ts';
import type { Aggregate } from '../../commands/handling/aggregate.ts';
import type { Decide } from '../../commands/handling/decide-round.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { logoBookAggregate } from '../../commands/logos/logo-book.ts';
import { mailAggregate } from '../../commands/mails/mail.ts';
import { volumeContractAggregate } from '../../commands/negotiation/volume-contract.ts';
import { reserveFunds } from '../../commands/wallets/reserve-funds.ts';
import { settleReservation } from '../../commands/wallets/settle-reservation.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import type { DomainEvent } from '../../events/definition.ts';
import type { MailEvent } from '../../events/mail.ts';
import type { VolumeContractEvent } from '../../events/volume-contract.ts';
import { letterPurpose } from '../../events/wallet.ts';
import { rejectionOf } from './decider-spec.ts';
import { decide, type LetterCommand } from './letter-commands.ts';
import { samplePersonal, sampleTerms } from './letter-samples.ts';
import { account, live, register, type World } from './projection-world.ts';
import { seeded } from './seeded.ts';

const source = 'simulator' as const;
const report = { type: 'ReportProgress' as const, source };
const progress: LetterCommand[] = [
  { type: 'StartProduction', partner: 'p', jobId: 'j', source },
  { ...report, step: 'posted' },
  { ...report, step: 'delivered', evidence: 'simulated' },
  { ...report, step: 'returned', reason: 'unknown' },
  { ...report, step: 'failed', code: 'jam', stage: 'print', retryable: false, detail: 'jam' },
  { type: 'CancelLetter' },
  { type: 'EraseLetter', reason: 'deleted' },
];

const contract: VolumeContractEvent = {
  type: 'VolumeContractCreated',
  data: {
    contractId: 'contract',
    accountId: account,
    test: false,
    committedUnits: 10,
    period: 'month',
    timeZone: 'UTC',
    periods: [{ startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z' }],
    tiers: [{ from: 1, to: null, basisPoints: 500 }],
    breachTerms: { shortfall: 'rebill_at_undiscounted_price', graceDays: 7 },
    requestHash: 'r'.repeat(43),
  },
  personal: { customerDid: 'did:key:z6MkAlice', jws: 'jws' },
};

/** Writes the log. Few letters, subjects, logos and mails have many events each. */
export const writeRandomLog = async (world: World, seed: number, steps: number): Promise<void> => {
  const random = seeded(seed);
  const below = (most: number): number => Math.floor(random() * most);
  const oneOf = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const ids = Array.from({ length: 12 }, () => randomUUID());
  let made = 0;

  /** Commands that the state refuses change nothing. */
  const command = async <S, E extends DomainEvent>(
    aggregate: Aggregate<S, E>,
    id: string,
    decide: Decide<S, E>,
  ): Promise<void> => {
    const actor = oneOf(['operator', 'key:key_a', 'key:key_b']);
    const context = { commandId: randomUUID(), actor };
    await rejectionOf(world.handler.handle(aggregate, id, context, decide));
  };
  const toLetter = (letterCommand: LetterCommand): Promise<void> =>
    command(letterAggregate, oneOf(ids), (letter) => decide(letter, letterCommand));
  const letter = () => ({
    terms: sampleTerms({
      metadataHashes: ['m', 'n', 'o'].filter(() => random() < 0.5).map((one) => one.repeat(43)),
    }),
    personal: samplePersonal(),
  });
  const requestHash = 'r'.repeat(43);

  const kinds: (() => Promise<void>)[] = [
    () => toLetter({ type: 'DraftLetter', ...letter(), holdReason: 'requested', requestHash }),
    () => toLetter({ type: 'UpdateLetter', ...letter(), changed: [] }),
    () =>
      toLetter({
        type: 'QueueLetter',
        ...letter(),
        attemptId: 'attempt',
        cancellableUntil: '2026-03-01T12:05:00.000Z',
        releaseAt: '2026-03-01T12:05:00.000Z',
        requestHash,
      }),
    () => toLetter(oneOf(progress)),
    () =>
      command(walletAggregate, account, (wallet) =>
        reserveFunds(wallet, {
          type: 'ReserveFunds',
          purpose: letterPurpose(oneOf(ids)),
          attemptId: `attempt ${made}`,
          subtotalMicro: 1_000_000n,
        }),
      ),
    () =>
      command(walletAggregate, account, (wallet) =>
        settleReservation(wallet, {
          type: 'SettleReservation',
          purpose: letterPurpose(oneOf(ids)),
          target: { state: 'over' },
        }),
      ),
    () => {
      const change = { subject: oneOf(['key_c', 'key_d']), maker: { subjects: [] } };
      return command(walletAggregate, account, (wallet) =>
        wallet.guards.frozen.has(change.subject)
          ? unfreeze(wallet, { type: 'Unfreeze', ...change })
          : freeze(wallet, { type: 'Freeze', ...change }),
      );
    },
    () => {
      const logo = { accountId: account, logoId: oneOf(['one', 'another']), blob: 'blob' };
      const image = { mediaType: 'image/png' as const, bytes: 1, width: 1, height: 1 };
      const request = { requestId: `request ${made}`, requestHash };
      return command(logoBookAggregate, account, ({ logos }) => [
        logos.has(logo.logoId)
          ? { type: 'LogoDeleted' as const, data: logo }
          : { type: 'LogoUploaded' as const, data: { ...logo, ...image, ...request } },
      ]);
    },
    () => {
      const data = { mailId: oneOf(ids), accountId: account, kind: 'welcome' };
      const attempt: MailEvent = { type: 'MailAttempted', data: { ...data, attempt: 1 } };
      const outcome: MailEvent =
        random() < 0.5
          ? { type: 'MailSent', data }
          : { type: 'MailFailed', data: { ...data, code: 'refused', final: random() < 0.5 } };
      return command(mailAggregate, data.mailId, ({ status }) => [
        status === 'none' ? attempt : outcome,
      ]);
    },
  ];

  await register(world, account);
  await live(world, 0, seed);
  await command(volumeContractAggregate, account, () => [contract]);
  for (; made < steps; made++) await oneOf(kinds)();
};
