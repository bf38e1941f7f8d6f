/** Events of letters in any order, with and without each optional field. */
import type { AnyEvent } from '../../events/envelope.ts';
import { type LetterEvent, type LetterTerms, letterStream } from '../../events/letter.ts';
import { registry } from '../../events/registry.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { samplePersonal, sampleTerms } from './letter-samples.ts';
import { seeded } from './seeded.ts';

/** Lives of letters by chance, the same for the same seed. */
export const randomLetters = (
  seed: number,
  { letters, events }: { letters: number; events: number },
): AnyEvent[][] => {
  const random = seeded(seed);
  const oneOf = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const maybe = <T extends object>(some: T): Partial<T> => (random() < 0.5 ? some : {});
  const time = (): string => toTimestamp(Date.UTC(2026, 0, 1) + Math.floor(random() * 3e10));
  /** Print houses write times in their own form. */
  const reported = (): string =>
    oneOf([
      time(),
      '2026-03-01T12:00:00Z',
      '2026-03-01T12:00:00.5+01:00',
      '1970-01-01T00:00:00.000Z',
    ]);
  const digest = (): string => oneOf(['m', 'n', 'o', '-', '_']).repeat(43);
  const step = () => ({
    source: oneOf(['partner', 'carrier', 'operator', 'simulator'] as const),
    ...maybe({ inferred: random() < 0.5 }),
    ...maybe({ reportedAt: reported() }),
  });
  const hash = 'r'.repeat(43);
  const decided = { approver: 'operator', credential: { own: ['key_1'], line: [] } };

  const termsOf = (letter: Pick<LetterTerms, 'accountId' | 'test'>): LetterTerms => {
    const { price } = sampleTerms();
    const discount = { contractId: 'vc_1', basisPoints: 500, amountCents: 3 };
    return sampleTerms({
      ...letter,
      price: { ...price, ...maybe({ discount }) },
      service: oneOf(['fr_lettre_suivie', 'de_standardbrief']),
      country: oneOf(['FR', 'DE']),
      color: random() < 0.5,
      duplex: random() < 0.5,
      ...maybe({ referenceHash: digest() }),
      ...maybe({ metadataHashes: oneOf([[], [digest()], [digest(), digest()]]) }),
      ...maybe({ sendDate: '2026-03-02' }),
      ...maybe({ kind: oneOf(['text', 'html', 'pdf'] as const) }),
      ...maybe({ coverPage: random() < 0.5 }),
      ...maybe({ addressInDocument: random() < 0.5 }),
      ...maybe({ layout: 2 as const }),
      ...maybe({ blobs: oneOf([[], ['blob_1'], ['blob_1', 'blob_2']]) }),
    });
  };

  const firstOf = (terms: LetterTerms): LetterEvent[] => {
    const times = { cancellableUntil: time(), releaseAt: time() };
    const personal = samplePersonal();
    const holdReason = oneOf(['requested', 'funds', 'approval'] as const);
    return [
      { type: 'LetterDrafted', data: { terms, holdReason, requestHash: hash }, personal },
      {
        type: 'LetterQueued',
        data: { terms, attemptId: 'a', ...times, requestHash: hash },
        personal,
      },
    ];
  };

  const laterOf = (terms: LetterTerms): LetterEvent[] => {
    const times = { cancellableUntil: time(), releaseAt: time() };
    const job = { partner: 'p', jobId: 'j', ...maybe({ house: 'https://house.example' }) };
    return [
      ...firstOf(terms),
      {
        type: 'LetterUpdated',
        data: { terms, changed: [], ...maybe({ attemptId: 'b' }), ...maybe(times) },
        personal: samplePersonal(),
      },
      { type: 'SendAbandoned', data: { accountId: terms.accountId, attemptId: 'a' } },
      {
        type: 'ApprovalRequested',
        data: {
          approvalId: 'ap_1',
          attemptId: 'a',
          terms,
          commitment: digest(),
          needs: [{ policy: 'account', rules: ['all'], quorum: 1, approvers: ['operator'] }],
          requester: decided.credential,
          expiresAt: time(),
          requestHash: hash,
        },
        ...maybe({ personal: samplePersonal() }),
      } as LetterEvent,
      { type: 'ApprovalExpired', data: { approvalId: 'ap_1' } },
      { type: 'ApprovalGiven', data: { approvalId: 'ap_1', ...decided, policies: ['account'] } },
      { type: 'LetterProcessingStarted', data: { ...job, ...step() } },
      { type: 'PrintJobAccepted', data: { ...job, ...maybe({ datedAt: reported() }) } },
      { type: 'LetterPosted', data: step() },
      { type: 'LetterInTransit', data: { ...step(), ...maybe({ location: 'Lyon' }) } },
      {
        type: 'LetterDelivered',
        data: { ...step(), evidence: oneOf(['carrier_scan', 'signature', 'simulated'] as const) },
      },
      { type: 'LetterReturned', data: { ...step(), reason: 'unknown' } },
      {
        type: 'TrackingNumberAssigned',
        data: { trackingNumber: oneOf(['6A1', '6A 2']), source: 'partner' },
      },
      { type: 'LetterCancellationRequested', data: {} },
      { type: 'LetterCancellationRejected', data: { reason: 'printed' } },
      {
        type: 'LetterCancelled',
        data: { from: oneOf(['draft', 'queued', 'processing'] as const) },
      },
      {
        type: 'LetterFailed',
        data: {
          code: 'jam',
          stage: 'print',
          retryable: random() < 0.5,
          detail: 'A “jam”\nof\tpaper \\',
          source: 'partner',
        },
      },
      { type: 'LetterErased', data: { reason: oneOf(['deleted', 'retention'] as const) } },
    ];
  };

  let position = 0n;
  const id = (): string => `00000000-0000-4000-8000-${String(++position).padStart(12, '0')}`;
  const lifeOf = (): AnyEvent[] => {
    const stream = letterStream(id());
    const letter = { accountId: oneOf(['acct_1', 'acct_2']), test: random() < 0.5 };
    return Array.from({ length: events }, (_, n) => {
      const event = oneOf((n === 0 ? firstOf : laterOf)(termsOf(letter)));
      registry.check(event);
      const sealed = event.personal === undefined ? {} : { sealed: `sealed ${position}` };
      const metadata = { at: time(), schema: 1, command: 'c', actor: 'a', prev: '', ...sealed };
      return { ...event, id: id(), stream, version: BigInt(n), position, metadata } as AnyEvent;
    });
  };
  return Array.from({ length: letters }, lifeOf);
};
