import { expect } from 'chai';
import { proofBody } from '../../pages/console/proof/proof-page.ts';
import type { Visit } from '../../pages/console/visit.ts';
import { markup } from '../../pages/html.ts';
import { presentProof } from '../../presenters/proof.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

const at = '2026-03-01T12:00:00.000Z';

const proof = presentProof(
  {
    letterId: '7c1e0d5e-1111-5222-8333-444455556666',
    accountId: 'acct_1',
    status: 'queued',
    version: 1n,
    createdPosition: 1n,
    sealed: undefined,
    doc: {
      terms: sampleTerms({ service: 'fr_lettre_recommandee', intent: 'confidential' }),
      createdAt: at,
      updatedAt: at,
      timeline: [{ status: 'queued', at, source: 'api' }],
    },
  },
  samplePersonal(),
);

describe('the kind of proof in the console', () => {
  for (const [language, level] of [
    ['en', 'full audit trail'],
    ['de', 'lückenloser Verlauf'],
    ['fr', 'historique complet'],
  ] as const) {
    it(`has the words of the certificate (${language})`, () => {
      const visit = { language, at: (path: string) => path } as Visit;
      const page = markup(proofBody({ proof, tracking: undefined, links: [] }, visit));
      expect(page).to.include(`<dd>${level}</dd>`);
    });
  }
});
