/** Walks the composition of a whole service, and counts how often its factories run. */
import { Session } from 'node:inspector/promises';
import { expect } from 'chai';
import { clientOf, letterTo } from '../support/client.ts';
import { startTestService } from '../support/service.ts';

/** Files and what they export: each makes something that holds a cache, a queue, a budget or a connection. */
const madeOnce = {
  'commands/accounts/caller-did.ts': 'createCallerDids',
  'commands/handling/handle.ts': 'createCommandHandler',
  'commands/letters/letters-at-hand.ts': 'createLettersAtHand',
  'commands/letters/send-letter.ts': 'createSendLetter',
  'commands/logos/logos.ts': 'createLogos',
  'commands/negotiation/offered-tiers.ts': 'createOfferedTiers',
  'commands/preparation/open-text.ts': 'createOpenText',
  'commands/preparation/prepare-letter.ts': 'createPrepareLetter',
  'commands/preparation/quote-documents.ts': 'createQuoteDocuments',
  'commands/preparation/quote-letter.ts': 'createQuoteLetter',
  'commands/preparation/quote.ts': 'createQuotes',
  'documents/preflight/index.ts': 'createPreflight',
  'documents/render/check-logo.ts': 'createCheckLogo',
  'infra/identity/credential-store.ts': 'createCredentialStore',
  'infra/postgres/offers.ts': 'createOfferStore',
  'infra/postgres/quotes.ts': 'createQuoteStore',
  'infra/quotas/quota-check.ts': 'createQuotaCheck',
  'infra/readers/audit-reader.ts': 'createAuditReader',
  'infra/readers/discounts.ts': 'createDiscounts',
  'infra/readers/letter-reader.ts': 'createLetterReader',
  'limits/workers.ts': 'createWorkers',
  'service/foundation/documents.ts': 'createDocumentTools',
  'service/foundation/turns.ts': 'createTurnOf',
};

const root = new URL('../../', import.meta.url);

/** How often functions ran in `work`, by file and name. */
const countCalls = async (work: () => Promise<void>): Promise<Map<string, number>> => {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await work();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const counts = new Map<string, number>();
    for (const { url, functions } of result) {
      if (!url.startsWith(root.href)) continue;
      const file = url.slice(root.href.length).replace(/\?.*/, '');
      for (const { functionName, ranges } of functions) {
        const key = `${file} ${functionName}`;
        counts.set(key, (counts.get(key) ?? 0) + (ranges[0]?.count ?? 0));
      }
    }
    return counts;
  } finally {
    await session.post('Profiler.stopPreciseCoverage').catch(() => undefined);
    session.disconnect();
  }
};

/** Everything that sends, quotes, offers, draws or reads a letter. */
const useEverything = async (): Promise<void> => {
  const service = await startTestService();
  try {
    const client = await clientOf(() => service).register();
    const quoted = await client.post('/api/quote', letterTo('FR'));
    expect(quoted.status, quoted.text).to.equal(200);
    const wish = { intent: 'transactional', to_country: 'DE', content: 'Guten Tag.' };
    const offered = await client.post('/api/anp/offer', wish);
    expect(offered.status, offered.text).to.equal(200);
    const { letter_id: letterId } = await client.send();
    const page = await client.get(`/api/letters/${letterId}/preview/1.png`);
    expect(page.status).to.equal(200);
  } finally {
    await service.stop();
  }
};

describe('the parts of a process', function () {
  this.timeout(180_000);
  let counts: Map<string, number>;
  before(async () => {
    counts = await countCalls(useEverything);
  });

  for (const [file, factory] of Object.entries(madeOnce)) {
    it(`are made once: ${factory}`, () => {
      expect(counts.get(`${file} ${factory}`)).to.equal(1);
    });
  }
});
