import { expect } from 'chai';
import { accountBody } from '../../pages/console/operator/accounts-page.ts';
import type { AccountView, LetterView } from '../../pages/console/operator/desk.ts';
import { lettersRoutes } from '../../pages/console/operator/letters-routes.ts';
import type { OperatorVisit } from '../../pages/console/operator/operator-visit.ts';
import { markup } from '../../pages/html.ts';

const letter: LetterView = {
  letterId: '7c1e0d5e-1111-5222-8333-444455556666',
  accountId: 'acct_1',
  test: true,
  status: 'queued',
  states: [],
  service: 'Standardbrief',
  country: 'DE',
  pages: 1,
  price: 1234.5,
  tracking: undefined,
  expected: { earliest: '2026-12-01', latest: '2026-12-03' },
  timeline: [],
  deliveries: [],
  mails: [],
  approvals: [],
  canReturn: false,
};

const account: AccountView = {
  accountId: 'acct_1',
  test: true,
  kind: 'email',
  name: 'ada@example.com',
  confirmedAt: undefined,
  erased: false,
  blocked: undefined,
  frozen: [],
  quotas: [],
  available: { crypto: 0.000_001, fiat: 1234.5 },
  letters: [],
  webhook: 'not set',
  keys: [],
};

type Language = OperatorVisit['language'];

const visitIn = (language: Language): OperatorVisit =>
  ({
    language,
    params: { id: letter.letterId },
    at: (path: string) => `/console/operator${path}`,
    desk: { letter: async () => letter },
  }) as unknown as OperatorVisit;

/** The text of a page; spaces that do not break are spaces. */
const textOf = (page: string): string =>
  page.replaceAll(/<[^>]*>/g, '').replaceAll(/[\u00a0\u202f]/g, ' ');

const letterPage = async (language: Language): Promise<string> => {
  const view = await lettersRoutes[0]?.handle(visitIn(language));
  return view && 'body' in view ? textOf(markup(view.body)) : '';
};

describe('amounts and days in the console of operators', () => {
  for (const [language, price, expected, available] of [
    ['de', '1.234,50 $', '01.12.2026 – 03.12.2026', '0,000001 $ Krypto + 1.234,50 $ Fiat'],
    ['fr', '1 234,50 $US', '1er déc. 2026 – 3 déc. 2026', '0,000001 $US crypto + 1 234,50 $US'],
    ['en', 'US$1,234.50', '1 Dec 2026 – 3 Dec 2026', 'US$0.000001 crypto + US$1,234.50 fiat'],
  ] as const) {
    it(`are written in the language of the page (${language})`, async () => {
      expect(await letterPage(language))
        .to.include(price)
        .and.include(expected);
      expect(textOf(markup(accountBody(account, visitIn(language))))).to.include(available);
    });
  }
});
