import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { letterEventNames } from '../../commands/letters/letter-event-names.ts';
import type { AuditedEvent } from '../../identity/audit-history.ts';
import { auditAssets } from '../../pages/audit/audit-assets.ts';
import { auditPage } from '../../pages/audit/audit-page.ts';
import { auditWords } from '../../pages/audit/audit-words.ts';
import { html, markup } from '../../pages/html.ts';
import { dark, light } from '../../presenters/palette.ts';
import { auditedEvents, historyOf, identity } from '../support/audit-history.ts';
import { queued } from '../support/letter-samples.ts';

/** Texts of the script with values in them. */
const placeheld = (source: string): string[] =>
  [...source.matchAll(/'([^'\n]*\{(?:bad|count)\}[^'\n]*)'/g)].flatMap(([, text]) => text ?? []);

const hostile = `"><script>alert('x')</script>&`;

const pageOf = (events: AuditedEvent[], language: 'en' | 'de' | 'fr'): Promise<string> =>
  auditPage({
    ...historyOf(events),
    identity,
    reattestations: [],
    bundleHref: 'x/bundle.zip',
    madeAt: '2026-03-02T00:00:00.000Z',
    language,
    certificateHref: '/verify/x?token=t',
    assets: '',
  });

describe('the audit page', () => {
  it('escapes whatever it is given, in text and in attributes', () => {
    expect(markup(html`<p title="${hostile}">${hostile}</p>`)).to.equal(
      '<p title="&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;">&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;</p>',
    );
    expect(markup(html`<ul>${[html`<li>${1}</li>`, html`<li>${'<'}</li>`]}</ul>`)).to.equal(
      '<ul><li>1</li>\n<li>&lt;</li></ul>',
    );
  });

  it('lets no name of an event, a service or an actor become markup', async () => {
    const [event] = auditedEvents([queued()]);
    if (!event) throw new Error('there is no event');
    const strange = { ...event, name: `letter.${hostile}`, source: hostile, status: hostile };
    const { history, paths } = historyOf([strange]);
    const page = await auditPage({
      history: { ...history, letterId: hostile },
      paths,
      identity: { ...identity, did: hostile, logOrigin: hostile },
      reattestations: [hostile],
      bundleHref: hostile,
      madeAt: '2026-03-02T00:00:00.000Z',
      language: 'en',
      certificateHref: 'x/certificate',
      assets: '',
    });
    expect(page).not.to.contain('<script>');
    expect(page).not.to.contain(`"><`.concat('script'));
    expect(page.match(/<script/g)).to.have.length(1);
  });

  it('shows that a letter came back as its state', async () => {
    const events = auditedEvents([
      queued(),
      { type: 'LetterPosted', data: { source: 'partner' } },
      { type: 'LetterReturned', data: { source: 'partner', reason: 'moved' } },
    ]);
    for (const [language, state] of [
      ['en', 'Returned'],
      ['de', 'Zurückgekommen'],
      ['fr', 'Retournée'],
    ] as const) {
      const page = await pageOf(events, language);
      expect(page).to.include(`<dt>${auditWords[language].facts.state}</dt><dd>${state}</dd>`);
    }
  });

  it('names the country in the language of the page', async () => {
    for (const [language, country] of [
      ['en', 'France'],
      ['de', 'Frankreich'],
      ['fr', 'France'],
    ] as const) {
      const page = await pageOf(auditedEvents([queued()]), language);
      expect(page).to.include(`<dt>${auditWords[language].facts.country}</dt><dd>${country}</dd>`);
    }
  });

  it('has words in each language for every event of a letter', () => {
    for (const { tellings } of Object.values(auditWords)) {
      expect(Object.keys(tellings)).to.have.members(letterEventNames);
    }
  });

  it('says that a print house confirmed a letter only where it did', async () => {
    const jobId = '7c1e0d5e-1111-5222-8333-444455556666';
    for (const [partner, confirmed] of [
      ['hotfolder', false],
      ['http', true],
    ] as const) {
      const events = auditedEvents([
        queued(),
        { type: 'LetterProcessingStarted', data: { partner, jobId, source: 'partner' } },
        { type: 'PrintJobAccepted', data: { partner, jobId } },
      ]);
      for (const language of ['en', 'de', 'fr'] as const) {
        const { confirmedJob, tellings } = auditWords[language];
        const page = await pageOf(events, language);
        const told = confirmed ? confirmedJob : tellings['letter.print_job_accepted'];
        const other = confirmed ? tellings['letter.print_job_accepted'] : confirmedJob;
        expect(page).to.contain(`>${told?.title}<`).and.contain(`<p>${told?.detail}</p>`);
        expect(page).not.to.contain(other?.title);
      }
    }
  });

  it('does not say that a letter was handed to the print house when its production begins', async () => {
    const jobId = '7c1e0d5e-1111-5222-8333-444455556666';
    const events = auditedEvents([
      queued(),
      {
        type: 'LetterProcessingStarted',
        data: { partner: 'hotfolder', jobId, source: 'partner' },
      },
    ]);
    expect(await pageOf(events, 'en'))
      .to.contain('Production of the letter began.')
      .and.not.contain('handed to the print house');
  });

  it('shows when a step happened, if its report names another time than that of its record', async () => {
    const reportedAt = '2026-02-27T09:12:00.000Z';
    const events = auditedEvents([
      queued(),
      { type: 'LetterPosted', data: { source: 'partner', inferred: true } },
      {
        type: 'LetterDelivered',
        data: { source: 'carrier', evidence: 'carrier_scan', reportedAt },
      },
    ]);
    for (const language of ['en', 'de', 'fr'] as const) {
      const page = await pageOf(events, language);
      const said = page.split(auditWords[language].reportedTime);
      expect(said, language).to.have.length(2);
      expect(said[1]?.trim()).to.match(new RegExp(`^<time datetime="${reportedAt}">`));
    }
  });

  it('has every text of its script in German and French, and no other', () => {
    const source = readFileSync(new URL('../../pages/audit/page.js', import.meta.url), 'utf8');
    const said = [
      ...source.matchAll(
        /'((?:it|its|the|this|no key|not|signed|verified|all|does)\b[^'\n]* [^'\n]*)'/gi,
      ),
    ];
    const texts = new Set(said.map(([, text]) => text).concat('Verified', ...placeheld(source)));
    for (const { script } of [auditWords.de, auditWords.fr]) {
      expect(Object.keys(script)).to.have.members([...texts]);
      for (const [english, text] of Object.entries(script)) {
        const names = (one: string) => [...one.matchAll(/\{\w+\}/g)].map(String).sort();
        expect(names(text), text).to.deep.equal(names(english));
      }
    }
  });

  it('is in German and French, but for names, hashes and codes', async () => {
    const events = auditedEvents([queued()]);
    for (const language of ['de', 'fr'] as const) {
      const page = await pageOf(events, language);
      expect(page)
        .to.contain(`<html lang="${language}">`)
        .and.to.contain('href="/verify/x?token=t"');
      const visible = page.replaceAll(/<[^>]*>/g, ' ');
      const { script: _, more: __, credentials: ___, ...english } = auditWords.en;
      const same = new Set(
        Object.values(auditWords[language]).filter((one) => typeof one === 'string'),
      );
      for (const text of [english.heading, english.lead, english.offline, english.verification]) {
        if (!same.has(text)) expect(visible).not.to.contain(text);
      }
      for (const { title } of Object.values(english.tellings)) {
        if (title.includes(' ')) expect(visible).not.to.contain(title);
      }
    }
  });

  it('shows a long history up to a point and says how much more there is', async () => {
    const [event] = auditedEvents([queued()]);
    if (!event) throw new Error('there is no event');
    const many = Array.from({ length: 502 }, (_, index) => ({
      ...event,
      sequence: index + 1,
      credential: undefined,
    }));
    const page = await auditPage({
      history: { letterId: 'x', test: false, complete: false, events: many, checkpoint: undefined },
      paths: new Map(),
      identity,
      reattestations: [],
      bundleHref: 'x/bundle.zip',
      madeAt: '2026-03-02T00:00:00.000Z',
      language: 'en',
      certificateHref: 'x/certificate',
      assets: '',
    });
    expect(page.match(/<li>/g)).to.have.length(500);
    expect(page).to.contain('2 more events are in the bundle.');
  });
});

describe('the stylesheet of pages', () => {
  const sheet = auditAssets().files.find(({ path }) => path === '/audit/page.css');
  const text = String(sheet?.bytes);

  it('has a light and a dark colour for every variable that it uses', () => {
    const used = [...text.matchAll(/var\(--([\w-]+)\)/g)].map(([, name = '']) => name);
    expect(used.length).to.be.above(40);
    for (const colours of [light, dark]) expect(colours).to.include.all.keys(...new Set(used));
  });

  it('sets the light colours, then the dark ones where they are asked for, then those of paper', () => {
    const at = (part: string): number => text.indexOf(part);
    const [first, second] = [at(`--ground:${light.ground};`), at(`--ground:${dark.ground};`)];
    expect(first).to.be.within(0, second);
    expect(at('@media (prefers-color-scheme:dark)')).to.be.within(first, second);
    expect(at('@media print')).to.be.above(second);
  });
});
