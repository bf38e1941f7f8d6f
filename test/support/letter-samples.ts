import type { LetterEvent, LetterPersonal, LetterTerms } from '../../events/letter.ts';

/** Valid public facts of a letter that costs $2.10. */
export const sampleTerms = (more: Partial<LetterTerms> = {}): LetterTerms => ({
  accountId: 'acct_1',
  test: false,
  service: 'fr_lettre_suivie',
  intent: 'transactional',
  country: 'FR',
  pages: 1,
  sheets: 1,
  color: false,
  duplex: true,
  envelope: 'C6_5',
  price: {
    postageCents: 150,
    printCents: 50,
    surchargeCents: 0,
    charge: {
      subtotalCryptoCents: 0,
      commissionCryptoCents: 0,
      subtotalFiatCents: 200,
      commissionFiatCents: 10,
    },
    pricingVersion: '2026-01-01.1',
    local: { currency: 'EUR', postageCents: 140, rate: '1.07' },
  },
  commitment: 'c'.repeat(43),
  expectedDelivery: { earliest: '2026-03-03', latest: '2026-03-05' },
  ...more,
});

export const samplePersonal = (more: Partial<LetterPersonal> = {}): LetterPersonal => ({
  to: { name: 'Ada', line1: '1 rue A', city: 'Paris', postalCode: '75001', country: 'FR' },
  from: { name: 'Bob', line1: '2 rue B', city: 'Paris', postalCode: '75002', country: 'FR' },
  content: 'Bonjour',
  salt: 'salt',
  warnings: [],
  ...more,
});

const requestHash = 'r'.repeat(43);

export const drafted = (terms = sampleTerms()): LetterEvent => ({
  type: 'LetterDrafted',
  data: { terms, holdReason: 'requested', requestHash },
  personal: samplePersonal(),
});

export const queued = (attemptId = 'attempt-1', terms = sampleTerms()): LetterEvent => ({
  type: 'LetterQueued',
  data: {
    terms,
    attemptId,
    cancellableUntil: '2026-03-01T12:05:00.000Z',
    releaseAt: '2026-03-01T12:05:00.000Z',
    requestHash,
  },
  personal: samplePersonal(),
});
