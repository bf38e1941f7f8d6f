import { expect } from 'chai';
import { type ApprovalPage, approvalPage } from '../../pages/approval/approval-page.ts';

const said = (problem: string, language: ApprovalPage['language'], kind: ApprovalPage['kind']) =>
  approvalPage({
    kind,
    state: 'pending',
    shown: undefined,
    token: 't',
    service: { name: 'Letters', contact: undefined, prefix: '' },
    language,
    problem,
  });

describe('the page of an approval whose decision was not recorded', () => {
  for (const kind of ['letter', 'policy_change'] as const) {
    it(`says in words that the account is closing (${kind})`, () => {
      for (const [language, words] of [
        ['en', 'The account is going to be erased'],
        ['de', 'Das Konto wird geschlossen'],
        ['fr', 'Le compte est en cours de fermeture'],
      ] as const) {
        expect(said('account_closing', language, kind)).to.include(words);
      }
    });

    it(`asks to try again where the service could not do it (${kind})`, () => {
      for (const code of ['store_unavailable', 'overloaded', 'rate_limited', 'internal_error']) {
        expect(said(code, 'en', kind), code).to.include('Try again in a minute.');
        expect(said(code, 'de', kind), code).to.include('in einer Minute noch einmal');
        expect(said(code, 'fr', kind), code).to.not.include('titulaire');
      }
      expect(said('scope_insufficient', 'en', kind)).to.include('Please ask its owner.');
    });

    it(`never shows a code (${kind})`, () => {
      for (const language of ['en', 'de', 'fr'] as const) {
        const page = said('some_new_code', language, kind);
        expect(page).to.include('role="alert"').and.not.include('some_new_code');
      }
    });
  }

  it('keeps the reason that was typed', () => {
    const address = { name: 'Erika', line1: 'Heidestr. 17', city: 'Berlin', country: 'DE' };
    const letter = { kind: 'letter', approvalId: 'apr_1', letterId: 'letter-1', quorum: 1 };
    const about = { to: address, from: address, service: 'de_standardbrief', pages: 1, total: 1.5 };
    const page = approvalPage({
      kind: 'letter',
      state: 'pending',
      shown: { ...letter, ...about, rules: [], expiresAt: '2027-01-01T00:00:00.000Z' } as never,
      token: 't',
      service: { name: 'Letters', contact: undefined, prefix: '' },
      language: 'en',
      problem: 'conflict',
      reason: '\nWrong <amount>',
    });
    expect(page).to.include('>\n\nWrong &lt;amount&gt;</textarea>');
  });
});
