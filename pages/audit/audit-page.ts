/**
 * The audit page of a letter, for people: what happened, when, by whom, and what proves it. Nothing
 * personal is on it. All of it is there without JavaScript, but the badges, which audit-page/page.js
 * sets after it has verified the credentials in the browser.
 */

import { mapInSlices } from '../../ground/slices.ts';
import {
  type AuditedEvent,
  type AuditHistory,
  isCovered,
  type PublishedIdentity,
} from '../../identity/audit-history.ts';
import { type CredentialSubject, issuedPayload } from '../../identity/event-credential.ts';
import { countryIn } from '../../postal/countries.ts';
import { services } from '../../postal/services.ts';
import type { Language } from '../../postal/stationery.ts';
import { statusNames } from '../../presenters/status-words.ts';
import { fact } from '../fact.ts';
import { type Html, html } from '../html.ts';
import { layout as pageLayout } from '../layout.ts';
import { type AuditWords, auditWords, type Telling } from './audit-words.ts';

/** Events that are shown; the bundle has all of them. */
const maxShown = 500;

const plain = (name: string): string => name.slice(name.indexOf('.') + 1).replaceAll('_', ' ');

/** A print house over HTTP confirms that it has a job. From a folder, it takes jobs later and unseen. */
const isConfirmed = ({ name, stored }: AuditedEvent): boolean =>
  name === 'letter.print_job_accepted' && JSON.parse(stored.data).partner === 'http';

const tellingOf = (event: AuditedEvent, { tellings, confirmedJob }: AuditWords): Telling => {
  if (isConfirmed(event)) return confirmedJob;
  const { name } = event;
  const unknown = {
    title: plain(name).replace(/^./, (letter) => letter.toUpperCase()),
    detail: '',
  };
  return (Object.hasOwn(tellings, name) ? tellings[name] : undefined) ?? unknown;
};

const subjectOf = ({ credential }: AuditedEvent): Partial<CredentialSubject> =>
  credential ? issuedPayload(credential.jwt).vc.credentialSubject : {};

const time = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 10)} <span class="clock">${at.slice(11, 19)} UTC</span></time>`;

/** The word for a code, or the code itself if the table has no word for it. */
const wordOf = (table: Record<string, string>, code: string): string =>
  (Object.hasOwn(table, code) ? table[code] : undefined) ?? code;

type Item = {
  event: AuditedEvent;
  history: AuditHistory;
  paths: Map<number, Buffer[]>;
  words: AuditWords;
};

const badge = ({ event, history, paths, words }: Item): Html => {
  const { credential } = event;
  if (!credential) return html`<p class="badge" data-state="waiting">${words.notSigned}</p>`;
  const path = isCovered(event, history.checkpoint) ? paths.get(credential.logIndex) : undefined;
  return html`<p class="badge" data-state="unchecked" data-credential="${credential.jwt}"
    data-sequence="${event.sequence}" data-type="${event.name}" data-at="${event.occurredAt}"
    data-status="${event.status}" data-event-hash="${event.eventHash}"
    data-path="${path?.map((hash) => hash.toString('base64')).join(' ') ?? 'none'}">${words.notChecked}</p>`;
};

const entry = (item: Item): Html => {
  const { event, words } = item;
  const { details } = words;
  const { title, detail } = tellingOf(event, words);
  const { evidence, inferred } = subjectOf(event);
  const shown = evidence === undefined ? undefined : wordOf(words.evidences, evidence);
  const reported = event.reportedAt && html` ${words.reportedTime} ${time(event.reportedAt)}.`;
  return html`<li>
  <article aria-labelledby="event-${event.sequence}">
    <header>
      <h3 id="event-${event.sequence}">${title}</h3>
      ${badge(item)}
    </header>
    <p class="when">${time(event.occurredAt)} · ${wordOf(words.actors, event.source)}</p>
    <p>${detail}${shown === undefined ? '' : ` ${words.evidence} ${shown}.`}${inferred ? ` ${words.inferred}` : ''}${reported}</p>
    <details>
      <summary>${words.hashes} ${event.sequence}</summary>
      <dl>
        ${fact(details.event, event.eventHash)}
        ${fact(details.credential, event.credential?.hash)}
        ${event.credential ? fact(details.before, event.credential.previousHash ?? details.first) : undefined}
        ${fact(details.place, event.credential?.logIndex)}
        ${fact(details.position, String(event.position))}
      </dl>
    </details>
  </article>
</li>`;
};

/** @param assets the folder of style and script, with a slash at its end */
const layout = (title: string, language: Language, body: Html, assets: string): string =>
  pageLayout({
    title,
    language,
    stylesheet: `${assets}page.css`,
    script: html`<script type="module" src="${assets}page.js"></script>`,
    body,
  });

/** For a link that opens nothing, whatever the reason. */
export const auditNotFoundPage = (language: Language, assets: string): string => {
  const { title, detail } = auditWords[language].nothing;
  return layout(
    title,
    language,
    html`<main class="sheet">
<h1>${title}</h1>
<p>${detail}</p>
</main>`,
    assets,
  );
};

/** The name behind a code; the code itself where it is not known here. */
const nameOf = (
  table: Record<string, { name: string }>,
  code: string | undefined,
): string | undefined =>
  code === undefined ? undefined : Object.hasOwn(table, code) ? table[code]?.name : code;

/** A letter that came back keeps its status. */
const stateOf = (events: AuditHistory['events']): string =>
  events.some(({ name }) => name === 'letter.returned') ? 'returned' : events.at(-1)?.status || '—';

const facts = (
  { history, identity, madeAt, language }: Page,
  subject: Partial<CredentialSubject>,
): Html => {
  const { checkpoint, events } = history;
  const words = auditWords[language];
  const { facts: names } = words;
  return html`<dl class="facts">
  ${fact(names.letter, history.letterId)}
  ${fact(names.state, wordOf(statusNames[language], stateOf(events)))}
  ${fact(names.service, nameOf(services, subject.service))}
  ${fact(names.country, subject.country && countryIn(language, subject.country))}
  ${fact(names.signer, identity.did)}
  ${fact(names.log, checkpoint ? `${identity.logOrigin}, ${words.credentials(checkpoint.size)}` : words.noCheckpoint)}
  ${fact(names.made, `${madeAt.slice(0, 19).replace('T', ' ')} UTC`)}
</dl>`;
};

const notices = ({ history }: Page, { test, incomplete }: AuditWords): Html[] => [
  ...(history.test ? [html`<p class="notice"><strong>${test[0]}</strong> ${test[1]}</p>`] : []),
  ...(history.complete
    ? []
    : [html`<p class="notice"><strong>${incomplete[0]}</strong> ${incomplete[1]}</p>`]),
];

type Page = {
  history: AuditHistory;
  /** Audit paths by log index. */
  paths: Map<number, Buffer[]>;
  identity: PublishedIdentity;
  /** The service's renewed attestations of credentials whose key was revoked. */
  reattestations: string[];
  bundleHref: string;
  madeAt: string;
  language: Language;
  /** The address of the page of the certificate. */
  certificateHref: string;
  /** The folder of style and script, with a slash at its end. */
  assets: string;
  /** In the console: the page that leads here. */
  back?: string;
};

/** Other work of the event loop runs in between, because a history may be long. */
export const auditPage = async (page: Page): Promise<string> => {
  const { history, paths, identity, bundleHref, certificateHref, language, assets, back } = page;
  const words = auditWords[language];
  const shown = history.events.slice(0, maxShown);
  const hidden = history.events.length - shown.length;
  const last = history.events.findLast((event) => event.credential);
  const entries = await mapInSlices(shown, (event) => entry({ event, history, paths, words }));
  return layout(
    words.title,
    language,
    html`<a class="skip" href="#timeline">${words.skip}</a>
<main class="sheet" data-letter="${history.letterId}" data-origin="${identity.logOrigin}"
  data-keys="${JSON.stringify(identity.keys)}" data-checkpoint="${history.checkpoint?.note ?? ''}"
  data-reattestations="${page.reattestations.join(' ')}" data-words="${JSON.stringify(words.script)}">
<header class="head">
  <p class="kind">${words.kind}</p>
  <h1>${words.heading}</h1>
  <p>${back && html`<a href="${back}">${words.audit}</a> · `}<a href="${certificateHref}">${words.certificate}</a></p>
  <p class="lead">${words.lead}</p>
</header>
${notices(page, words)}
${facts(page, last ? subjectOf(last) : {})}
<section aria-labelledby="check">
  <h2 id="check">${words.verification}</h2>
  <p id="summary" role="status" data-state="unchecked">${words.unchecked}</p>
  <p><a class="button" href="${bundleHref}" download>${words.bundle}</a></p>
  <p class="hint">${words.offline}</p>
</section>
<section aria-labelledby="timeline">
  <h2 id="timeline" tabindex="-1">${words.timeline}</h2>
  <ol class="timeline">
${entries}
  </ol>
  ${hidden > 0 ? html`<p>${words.more(hidden)}</p>` : undefined}
</section>
</main>`,
    assets,
  );
};
