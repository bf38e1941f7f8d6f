import { hash } from 'node:crypto';
import { expect } from 'chai';
import type { LetterRecord } from '../../projections/letters/query.ts';
import { type VerifyPagePorts, verifyPageOperations } from '../../read-api/verify-page.ts';
import {
  auditedEvents,
  credentialKey,
  historyOf,
  identity,
  letterId,
  serviceDid,
  signer,
} from '../support/audit-history.ts';
import { queued, samplePersonal, sampleTerms } from '../support/letter-samples.ts';
import { turnsDuring } from '../support/turns.ts';

const at = '2026-03-01T12:00:00.000Z';

const record: LetterRecord = {
  letterId,
  accountId: 'acct_1',
  status: 'queued',
  version: 1n,
  createdPosition: 1n,
  sealed: undefined,
  doc: {
    terms: sampleTerms(),
    createdAt: at,
    updatedAt: at,
    timeline: [{ status: 'queued', at, source: 'api' }],
  },
};

const updated = {
  type: 'LetterUpdated' as const,
  data: { terms: sampleTerms(), changed: ['reference'] },
  personal: samplePersonal(),
};

/** The operation for a letter with `count` events, all of them signed and in the log. */
const pageOf = (count: number) => {
  const events = auditedEvents([queued(), ...Array.from({ length: count - 1 }, () => updated)]);
  const { history, paths } = historyOf(events);
  const { size = 0, root = Buffer.alloc(32) } = history.checkpoint ?? {};
  const entries = new Map(
    events.flatMap(({ credential }) => {
      if (!credential) return [];
      const { jwt, logIndex } = credential;
      const entry = { logIndex, size, root, path: paths.get(logIndex) ?? [] };
      return [[hash('sha256', jwt, 'hex'), entry] as const];
    }),
  );
  const ownKey = {
    kid: signer.kid,
    publicKey: credentialKey.multikey,
    state: 'active' as const,
  };
  const ports: Partial<VerifyPagePorts> = {
    certificateLinks: { pathOf: () => '', opens: () => true },
    readAudit: async () => ({ history, record }),
    identity: () => identity,
    serviceName: { name: 'Letters', contact: undefined },
    patienceMs: 0,
    verifyPorts: () => ({
      nowMs: Date.parse('2026-04-01T12:00:00.000Z'),
      resolve: async () => ({ detail: 'not found' }),
      ownKeys: (did) => (did === serviceDid ? [ownKey] : undefined),
      logEntry: async (digest) => entries.get(digest.toString('hex')),
      attestsAnew: async () => false,
      spendChallenge: async () => true,
    }),
  };
  const operation = verifyPageOperations(ports as VerifyPagePorts).find(
    ({ name }) => name === 'view_certificate',
  );
  return async (): Promise<string> => {
    const request = { params: { letter_id: letterId }, query: { token: 't', language: 'en' } };
    const { body } = (await operation?.handle(request as never)) as { body: Buffer };
    return body.toString('utf8');
  };
};

describe('the page of a certificate', () => {
  it('verifies a long history in slices, between which other requests run', async () => {
    const open = pageOf(61);
    let page = '';
    const turns = await turnsDuring(async () => {
      page = await open();
    });
    expect(page).to.include('this service signed the 61 records of this letter');
    expect(turns).to.be.at.least(6);
  });
});
