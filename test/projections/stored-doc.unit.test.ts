import { expect } from 'chai';
import type { LetterDoc } from '../../projections/letters/doc.ts';
import { type DocColumns, readDoc, storedDoc } from '../../projections/letters/stored-doc.ts';
import { sampleTerms } from '../support/letter-samples.ts';

const at = '2026-03-01T12:00:00.000Z';

const sample: LetterDoc = {
  terms: sampleTerms({ layout: 2 }),
  createdAt: at,
  updatedAt: '2026-03-01T12:05:02.345Z',
  timeline: [
    { status: 'queued', at, source: 'api' },
    { status: 'processing', at: '2026-03-01T12:05:00.001Z', source: 'partner' },
  ],
  sealedFor: '92cb2038-8039-563b-9929-c8549263bbea',
  cancellableUntil: '2026-03-01T12:05:00.000Z',
  releaseAt: '2026-03-01T12:05:00.000Z',
  handOver: { state: 'with_partner', since: '2026-03-01T12:05:02.345Z' },
  datedAt: '2026-03-01T12:05:01.000Z',
};

/** A letter to which everything happened. */
const full: LetterDoc = {
  ...sample,
  terms: sampleTerms({
    test: true,
    color: true,
    price: {
      ...sampleTerms().price,
      discount: { contractId: 'vc_1', basisPoints: 500, amountCents: 3 },
    },
    referenceHash: 'r'.repeat(43),
    metadataHashes: ['m'.repeat(43), 'n'.repeat(43)],
    sendDate: '2026-03-02',
    kind: 'pdf',
    coverPage: true,
    addressInDocument: true,
    blobs: ['blob_1', 'blob_2'],
  }),
  timeline: [
    ...sample.timeline,
    { status: 'posted', at, source: 'carrier', inferred: true },
    { status: 'delivered', at, source: 'carrier', occurred_at: '2026-03-01T11:00:00.000Z' },
    { status: 'returned', at, source: 'carrier', occurred_at: '2026-03-01T12:00:00+01:00' },
  ],
  holdReason: 'funds',
  trackingNumber: '6A1234',
  evidence: 'signature',
  deliveryOutcome: 'returned',
  returnReason: 'unknown',
  failure: { code: 'print_failed', stage: 'print', retryable: false, detail: 'Jam', at },
  cancellation: { status: 'rejected', at, reason: 'Too late' },
  erased: true,
  deleted: true,
};

const columnsOf = ({ terms, ...doc }: LetterDoc): DocColumns => ({
  account_id: terms.accountId,
  test: terms.test,
  service: terms.service,
  country: terms.country,
  created_at: new Date(doc.createdAt),
  updated_at: doc.updatedAt,
  release_at: doc.releaseAt ? new Date(doc.releaseAt) : null,
  reference_hash: terms.referenceHash ?? null,
  metadata_hashes: terms.metadataHashes ? ` ${terms.metadataHashes.join(' ')} ` : null,
  delivery_outcome: doc.deliveryOutcome ?? null,
  tracking_number: doc.trackingNumber ?? null,
  hand_over: doc.handOver?.state ?? null,
  hand_over_at: doc.handOver?.since ?? null,
});

describe('the facts of a letter in its row', () => {
  const draft: LetterDoc = { terms: sampleTerms(), createdAt: at, updatedAt: at, timeline: [] };
  for (const [name, doc] of Object.entries({
    'a printed letter': sample,
    'a draft': draft,
    full,
  })) {
    it(`of ${name} are read as they were written`, () => {
      expect(readDoc(storedDoc(doc), columnsOf(doc))).to.deep.equal(doc);
    });
  }

  it('take less than half of their JSON text', () => {
    expect(storedDoc(sample).length).to.be.below(JSON.stringify(sample).length / 2);
  });

  it('name no account, and nothing that another column has', () => {
    const text = storedDoc(full);
    const { accountId, service, referenceHash = '' } = full.terms;
    for (const one of [accountId, service, referenceHash, '6A1234'])
      expect(text).not.to.include(one);
  });
});
