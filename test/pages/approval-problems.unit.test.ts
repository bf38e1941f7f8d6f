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

    it(`never shows a code (${kind})`, () => {
      for (const language of ['en', 'de', 'fr'] as const) {
        const page = said('some_new_code', language, kind);
        expect(page).to.include('role="alert"').and.not.include('some_new_code');
      }
    });
  }
});
