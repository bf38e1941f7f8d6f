import { expect } from 'chai';
import { sampleRecipient } from '../../postal/sample-recipient.ts';
import { countryCodes } from '../../postal/types.ts';
import { consoleAt } from '../console/console-client.ts';
import { expectProblem, letterTo, recipientIn, useService } from '../support/client.ts';

type Catalogue = {
  services: { service: string; intents: string[] }[];
  intents: { intent: string; services: string[] }[];
};
type Letter = { letter_id: string; service: string; warnings: { code: string; detail: string }[] };
type Offer = { tiers: { service: string }[] };

describe('an installation that offers some services', () => {
  const api = useService({ SERVICES: 'fr_lettre_verte,de_einschreiben,de_standardbrief' });

  const pages = consoleAt(() => api.service().url);

  it('lists these only', async () => {
    const account = await api.register();
    const { body } = await account.get<Catalogue>('/api/services/DE');
    const listed = body.services.map(({ service }) => service);
    expect(listed).to.deep.equal(['de_standardbrief', 'de_einschreiben']);
    const servicesFor = (intent: string) =>
      body.intents.find((one) => one.intent === intent)?.services;
    expect(servicesFor('bulk_marketing')).to.deep.equal(['de_standardbrief', 'de_einschreiben']);
    expect(servicesFor('legal_compliance')).to.deep.equal(['de_einschreiben']);
    const french = await account.get<Catalogue>('/api/services/FR');
    expect(french.text).to.contain('{"intent":"confidential"').and.contain('"services":[]');
    const elsewhere = await account.get('/api/services/US');
    const problem = expectProblem(elsewhere, 404, 'country_not_supported');
    expect(problem.detail).to.contain('Letters go to FR, DE.');
    const metrics = await (await fetch(`${api.service().url}/metrics`)).text();
    expect(metrics).to.contain('services="de_einschreiben,de_standardbrief,fr_lettre_verte"} 1');
  });

  it('says so on its home page and to programs', async () => {
    const { url } = api.service();
    const home = await fetch(url, { headers: { Accept: 'text/html' } });
    expect(await home.text())
      .to.contain('France')
      .and.not.contain('United States')
      .and.not.contain('Einwurf');
    const facts = await (await fetch(url)).text();
    expect(facts).to.contain('Send real letters to France and Germany.');
    expect(facts).to.contain('["de_standardbrief","de_einschreiben"]').and.not.contain('us_');
  });

  it('shows these in the form of the console', async () => {
    const { key } = await api.register();
    const { text } = await (await pages.signIn(key)).get('/write');
    const shown = [...text.matchAll(/<option value="((?:us|fr|gb|ca|de)_\w+)"/g)].map(
      ([, id]) => id,
    );
    expect(shown).to.deep.equal(['fr_lettre_verte', 'de_standardbrief', 'de_einschreiben']);
    const countriesIn = (name: string): string[] => {
      const [list = ''] =
        new RegExp(`<select[^>]*name="${name}".*?</select>`, 's').exec(text) ?? [];
      return [...list.matchAll(/<option value="(\w\w)"/g)].map(([, code]) => String(code));
    };
    expect(countriesIn('to_country')).to.deep.equal(['FR', 'DE']);
    expect(countriesIn('from_country')).to.deep.equal([...countryCodes]);
  });

  const paths = ['/api/send', '/api/quote', '/api/anp/offer'];

  it('shows a sample to a country that letters go to, whichever that is', async () => {
    const account = await api.register();
    for (const code of countryCodes) {
      const sample = { ...letterTo('DE', { intent: undefined }), ...sampleRecipient([code]) };
      const answer = await account.post('/api/quote', sample);
      const isOffered = code === 'FR' || code === 'DE';
      expect(answer.status, `${code} ${answer.text}`).to.equal(isOffered ? 200 : 422);
      if (!isOffered) expectProblem(answer, 422, 'service_not_available');
    }
  });

  it('chooses among them', async () => {
    const account = await api.register();
    for (const [country, intent, service] of [
      ['DE', 'bulk_marketing', 'de_standardbrief'],
      ['DE', 'transactional', 'de_einschreiben'],
      ['DE', 'legal_compliance', 'de_einschreiben'],
      ['FR', 'bulk_marketing', 'fr_lettre_verte'],
    ] as const) {
      const letter = letterTo(country, { intent });
      const sent = await account.post<Letter>('/api/send', letter);
      expect(sent.body.service, sent.text).to.equal(service);
      const quote = await account.post<Letter>('/api/quote', letter);
      expect(quote.body.service).to.equal(service);
    }
    const plain = await account.post<Letter>('/api/send', letterTo('DE', { intent: undefined }));
    expect(plain.body.service).to.equal('de_standardbrief');
    const wish = { intent: 'transactional', to_country: 'DE' };
    const offer = await account.post<Offer>('/api/anp/offer', wish);
    const offered = new Set(offer.body.tiers.map(({ service }) => service));
    expect([...offered]).to.have.members(['de_standardbrief', 'de_einschreiben']);
  });

  it('warns with their names only', async () => {
    const account = await api.register();
    const letter = letterTo('FR', { service: 'fr_lettre_verte', intent: 'transactional' });
    const { body } = await account.post<Letter>('/api/quote', letter);
    const [warning] = body.warnings.filter(({ code }) => code === 'intent_not_met');
    expect(warning?.detail).to.contain('no service of the country that is offered here does');
  });

  for (const [why, letter, pointer, code, says] of [
    ['a country without one', letterTo('US'), '/to_country', 'country_not_offered', 'FR, DE'],
    [
      'a service that it does not offer',
      letterTo('DE', { service: 'de_einschreiben_einwurf' }),
      '/service',
      'service_not_offered',
      'de_standardbrief or de_einschreiben',
    ],
    [
      'a service of another country',
      letterTo('DE', { service: 'fr_lettre_verte' }),
      '/service',
      'service_country_mismatch',
      'de_standardbrief or de_einschreiben',
    ],
    [
      'an intent that none of them meets',
      letterTo('FR', { intent: 'regulatory_filing' }),
      '/intent',
      'intent_not_offered',
      'GET /api/services/FR',
    ],
  ] as const) {
    for (const path of paths) {
      it(`refuses ${why}: ${path}`, async () => {
        const account = await api.register();
        const wish = { intent: 'bulk_marketing', ...letter };
        const answer = await account.post(path, path.endsWith('offer') ? wish : letter);
        const problem = expectProblem(answer, 422, 'service_not_available');
        expect(problem.detail).to.contain(says);
        expect(problem.errors?.[0]).to.include({ pointer, code });
      });
    }
  }

  it('refuses to send a draft to a country without one', async () => {
    const account = await api.register();
    const draft = await account.post<Letter>('/api/send', letterTo('DE', { draft: true }));
    const path = `/api/letters/${draft.body.letter_id}`;
    const changed = await account.patch(path, recipientIn('US'));
    expectProblem(changed, 422, 'service_not_available');
  });
});
