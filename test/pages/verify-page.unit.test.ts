import { hash } from 'node:crypto';
import { expect } from 'chai';
import type { DidDocument } from '../../identity/did-document.ts';
import { presentCertificate } from '../../presenters/certificate.ts';
import { presentProof } from '../../presenters/proof.ts';
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

const document = {
  id: serviceDid,
  verificationMethod: [
    {
      id: signer.kid,
      type: 'Multikey',
      controller: serviceDid,
      publicKeyMultibase: credentialKey.multikey,
    },
  ],
  assertionMethod: [signer.kid],
} as DidDocument;

type Event = ReturnType<typeof auditedEvents>[number];

const eventsOf = (count: number): Event[] =>
  auditedEvents([queued(), ...Array.from({ length: count - 1 }, () => updated)]);

/** The operation for a letter with these events. `genuine`: all of them signed and in the log. */
const pageOf = (
  genuine: Event[],
  shown = genuine,
  issuer = serviceDid,
  letter = record,
  now = '2026-04-01T12:00:00.000Z',
) => {
  const { history, paths } = historyOf(genuine);
  const { size = 0, root = Buffer.alloc(32) } = history.checkpoint ?? {};
  const entries = new Map(
    genuine.flatMap(({ credential }) => {
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
    readAudit: async () => ({ history: { ...history, events: shown }, record: letter }),
    identity: () => identity,
    service: { name: 'Letters', contact: undefined, prefix: '' },
    patienceMs: 0,
    verifyPorts: () => ({
      nowMs: Date.parse(now),
      resolve: async () => ({ document }),
      ownKeys: (did) => (did === issuer ? [ownKey] : undefined),
      logEntry: async (digest) => entries.get(digest.toString('hex')),
      attestsAnew: async () => false,
      spendChallenge: async () => true,
    }),
  };
  const operation = verifyPageOperations(ports as VerifyPagePorts).find(
    ({ name }) => name === 'view_certificate',
  );
  return async (language = 'en'): Promise<string> => {
    const request = { params: { letter_id: letterId }, query: { token: 't', language } };
    const { body } = (await operation?.handle(request as never)) as { body: Buffer };
    return body.toString('utf8');
  };
};

describe('the page of a certificate', () => {
  it('verifies a long history in slices, between which other requests run', async () => {
    const open = pageOf(eventsOf(61));
    let page = '';
    const turns = await turnsDuring(async () => {
      page = await open();
    });
    expect(page).to.include('this service signed the 61 records of this letter');
    expect(turns).to.be.at.least(6);
  });

  it('speaks of the only record of a letter in the singular', async () => {
    const open = pageOf(eventsOf(1));
    expect(await open('en')).to.include('this service signed the only record of this letter');
    expect(await open('de')).to.include('Der einzige Eintrag zu diesem Brief ist');
    expect(await open('fr')).to.include('le seul enregistrement de cette lettre est signé');
  });

  const good = 'data-state="good"';
  const bad = 'data-state="bad"';
  /** The events with the changes to one of them. */
  const withChanged = (events: Event[], changed: number, changes: Partial<Event>): Event[] =>
    events.map((event, index) => (index === changed ? { ...event, ...changes } : event));

  it('does not call a letter genuine if its stored events differ from what was signed', async () => {
    const events = eventsOf(3);
    expect(await pageOf(events)()).to.include(good);
    for (const changes of [
      { eventHash: `sha-256:${'A'.repeat(43)}` },
      { occurredAt: '2019-03-01T12:01:00.000Z' },
      { name: 'letter.delivered' },
      { sequence: 7 },
    ]) {
      const page = await pageOf(events, withChanged(events, 1, changes))();
      expect(page, Object.keys(changes).join()).to.include(bad);
    }
  });

  it('does not call a letter genuine if another issuer signed its credentials', async () => {
    const events = eventsOf(2);
    expect(await pageOf(events, events, 'did:web:other.example')()).to.include(bad);
  });

  it('calls a letter genuine whose latest event is ahead of a clock that was set back', async () => {
    const events = eventsOf(5);
    const now = '2026-03-01T12:01:00.000Z';
    expect(await pageOf(events, events, serviceDid, record, now)()).to.include(good);
    const changed = withChanged(events, 4, { occurredAt: '2026-03-01T12:09:00.000Z' });
    expect(await pageOf(events, changed, serviceDid, record, now)()).to.include(bad);
  });

  it('shows when a letter came back, was cancelled or failed', async () => {
    const events = eventsOf(2);
    for (const [status, ...labels] of [
      ['returned', 'Returned', 'Zurückgekommen', 'Retournée'],
      ['cancelled', 'Cancelled', 'Storniert', 'Annulée'],
      ['failed', 'Failed', 'Fehlgeschlagen', 'Échec'],
    ] as const) {
      const reported = { status, at, occurred_at: '2026-02-27T10:00:00.000Z', source: 'carrier' };
      const timeline = [...record.doc.timeline, reported] as typeof record.doc.timeline;
      const deliveryOutcome = status === 'returned' ? status : undefined;
      const state = status === 'returned' ? 'posted' : status;
      const doc = { ...record.doc, timeline, ...(deliveryOutcome && { deliveryOutcome }) };
      const ended: LetterRecord = { ...record, status: state, doc };
      const open = pageOf(events, events, serviceDid, ended);
      for (const [index, language] of ['en', 'de', 'fr'].entries()) {
        const page = await open(language);
        const shown = `<dt>${labels[index]}</dt><dd><time datetime="${reported.occurred_at}">`;
        expect(page, `${status} ${language}`).to.include(shown);
        expect(page).to.match(new RegExp(`<dt>(Status|État)</dt><dd>${labels[index]}</dd>`));
      }
      expect(await pageOf(events)()).to.not.include(`<dt>${labels[0]}</dt>`);
    }
  });

  it('shows the postal service, the level of proof and the evidence of a certificate', async () => {
    const delivered = { status: 'delivered', at, source: 'carrier' } as const;
    const letter: LetterRecord = {
      ...record,
      status: 'delivered',
      doc: {
        ...record.doc,
        terms: sampleTerms({ service: 'fr_lettre_recommandee' }),
        timeline: [...record.doc.timeline, delivered],
        evidence: 'signature',
      },
    };
    const events = eventsOf(1);
    for (const [language, evidence] of [
      ['en', 'Evidence: signature'],
      ['de', 'Beleg: Unterschrift'],
      ['fr', 'Preuve : signature'],
    ] as const) {
      const page = await pageOf(events, events, serviceDid, letter)(language);
      const [sending] = presentCertificate(presentProof(letter, undefined), letter, undefined, {
        language,
        service: { name: 'Letters', contact: undefined },
        verifyUrl: 'https://letters.example.com/verify',
      }).sections;
      expect(sending?.rows).to.have.length(5);
      for (const { label, lines } of sending?.rows ?? []) {
        expect(page).to.include(`<dt>${label}</dt><dd>${lines.join()}</dd>`);
      }
      expect(page).to.include('Lettre recommandée R1, ');
      expect(page).to.include(`${at}<br>${evidence}</dd>`);
    }
    const earlier = await pageOf(events)('en');
    expect(earlier).not.to.include('Evidence:');
  });

  it('says that a letter was posted where nobody reported when, as the certificate does', async () => {
    const events = auditedEvents([
      queued(),
      { type: 'LetterPosted', data: { source: 'carrier', inferred: true } },
    ]);
    const posted = { status: 'posted', at, source: 'carrier', inferred: true } as const;
    const doc = { ...record.doc, timeline: [...record.doc.timeline, posted] };
    const open = pageOf(events, events, serviceDid, { ...record, status: 'posted', doc });
    expect(await open('en')).to.include('<dt>Posted</dt><dd>time not reported</dd>');
    expect(await open('de')).to.include('<dt>Eingeliefert</dt><dd>Zeit nicht gemeldet</dd>');
    expect(await open('fr')).to.include('<dt>Postée</dt><dd>heure non signalée</dd>');
    expect(await pageOf(eventsOf(1))()).not.to.include('<dt>Posted</dt>');
  });

  it('writes times as the certificate does, so that the two can be compared', async () => {
    const american = sampleTerms({ country: 'US', service: 'us_certified' });
    const letter: LetterRecord = { ...record, doc: { ...record.doc, terms: american } };
    const events = eventsOf(1);
    for (const language of ['en', 'de', 'fr'] as const) {
      const { sections } = presentCertificate(
        presentProof(letter, samplePersonal()),
        letter,
        samplePersonal(),
        {
          language,
          service: { name: 'Letters', contact: undefined },
          verifyUrl: 'https://letters.example.com/verify',
        },
      );
      const lines = sections.flatMap(({ rows }) => rows.flatMap((row) => row.lines));
      const printed = lines.find((line) => line.endsWith(` (${at})`))?.replace(` (${at})`, '');
      const page = await pageOf(events, events, serviceDid, letter)(language);
      expect(page).to.include(`<time datetime="${at}">${printed}</time>`);
    }
  });

  it('says how many of the records of a long history it checked', async () => {
    const events = eventsOf(205);
    const page = await pageOf(events)();
    expect(page).to.include(good).and.include('the latest 200 of the 205 records');
    expect(page).to.not.include('complete');
    const { credential } = events[203] as Event;
    const unsigned = (index: number) =>
      withChanged(events, index, {
        credential: credential && {
          ...credential,
          jwt: `${credential.jwt.slice(0, -86)}${'A'.repeat(86)}`,
        },
      });
    expect(await pageOf(events, unsigned(203))()).to.include(bad);
    const early = withChanged(events, 1, { eventHash: `sha-256:${'A'.repeat(43)}` });
    expect(await pageOf(events, early)()).to.include(bad);
  });
});
