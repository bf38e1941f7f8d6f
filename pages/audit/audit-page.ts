/**
 * The audit page of a letter, for people: what happened, when, by whom, and what proves it. Nothing
 * personal is on it. All of it is there without JavaScript, but the badges, which audit-page/page.js
 * sets after it has verified the credentials in the browser.
 */
import { numberOf } from '../../ground/plural.ts';
import { mapInSlices } from '../../ground/slices.ts';
import {
  type AuditedEvent,
  type AuditHistory,
  isCovered,
  type PublishedIdentity,
} from '../../identity/audit-history.ts';
import type { CredentialSubject } from '../../identity/event-credential.ts';
import { parseJwt } from '../../identity/jwt.ts';
import { countries } from '../../postal/countries.ts';
import { services } from '../../postal/services.ts';
import { type Html, html } from '../html.ts';
import { layout as pageLayout } from '../layout.ts';

/** Events that are shown; the bundle has all of them. */
const maxShown = 500;
const maxCredentialBytes = 64 * 1024;

type Telling = { title: string; detail: string };

const tellings: Record<string, Telling> = {
  'letter.drafted': { title: 'Draft', detail: 'The letter was written and kept as a draft.' },
  'letter.queued': { title: 'Accepted', detail: 'The letter was accepted and paid.' },
  'letter.updated': { title: 'Changed', detail: 'The sender changed the letter.' },
  'letter.processing_started': {
    title: 'In production',
    detail: 'The letter was handed to the print house.',
  },
  'letter.posted': {
    title: 'Posted',
    detail: 'Printed, put into its envelope and handed to the postal operator.',
  },
  'letter.in_transit': { title: 'On its way', detail: 'The postal operator has the letter.' },
  'letter.delivered': { title: 'Delivered', detail: 'The letter was delivered.' },
  'letter.returned': { title: 'Returned', detail: 'The letter came back or was not delivered.' },
  'letter.tracking_number_assigned': {
    title: 'Tracking number',
    detail: 'The letter was given a tracking number.',
  },
  'letter.cancellation_requested': {
    title: 'Cancellation asked for',
    detail: 'The sender asked to stop the letter.',
  },
  'letter.cancellation_rejected': {
    title: 'Cancellation refused',
    detail: 'It was too late to stop the letter.',
  },
  'letter.cancelled': { title: 'Cancelled', detail: 'The letter was stopped before posting.' },
  'letter.failed': { title: 'Failed', detail: 'The letter could not be produced.' },
  'letter.erased': {
    title: 'Personal data erased',
    detail: 'Names, addresses and content were deleted for good.',
  },
  'letter.print_job_accepted': {
    title: 'Taken by the print house',
    detail: 'The print house confirmed that it has the letter.',
  },
  'letter.send_abandoned': {
    title: 'Attempt abandoned',
    detail: 'A request to send was not finished.',
  },
};

const words = (name: string): string => name.slice(name.indexOf('.') + 1).replaceAll('_', ' ');

const tellingOf = (name: string): Telling =>
  (Object.hasOwn(tellings, name) ? tellings[name] : undefined) ?? {
    title: words(name).replace(/^./, (letter) => letter.toUpperCase()),
    detail: '',
  };

const actors: Record<string, string> = {
  api: 'Sender',
  partner: 'Print house',
  carrier: 'Postal operator',
  operator: 'Operator of the service',
  simulator: 'Simulator (test)',
  service: 'Service',
};

const evidences: Record<string, string> = {
  carrier_scan: 'scan by the postal operator',
  signature: 'signature of the recipient',
  recipient_report: 'report by the recipient',
  simulated: 'simulated, nothing was delivered',
};

const subjectOf = (event: AuditedEvent): Partial<CredentialSubject> => {
  if (!event.credential) return {};
  const { payload } = parseJwt(event.credential.jwt, { maxBytes: maxCredentialBytes });
  return (payload.vc as { credentialSubject: CredentialSubject }).credentialSubject;
};

const time = (at: string): Html =>
  html`<time datetime="${at}">${at.slice(0, 10)} <span class="clock">${at.slice(11, 19)} UTC</span></time>`;

const row = (term: string, value: string | number | null | undefined): Html | undefined =>
  value === null || value === undefined
    ? undefined
    : html`<div><dt>${term}</dt><dd>${value}</dd></div>`;

type Item = { event: AuditedEvent; history: AuditHistory; paths: Map<number, Buffer[]> };

const badge = ({ event, history, paths }: Item): Html => {
  const { credential } = event;
  if (!credential) return html`<p class="badge" data-state="waiting">Not yet signed</p>`;
  const path = isCovered(event, history.checkpoint) ? paths.get(credential.logIndex) : undefined;
  return html`<p class="badge" data-state="unchecked" data-credential="${credential.jwt}"
    data-sequence="${event.sequence}" data-type="${event.name}" data-at="${event.occurredAt}"
    data-status="${event.status}" data-event-hash="${event.eventHash}"
    data-path="${path?.map((hash) => hash.toString('base64')).join(' ') ?? 'none'}">Not checked</p>`;
};

const entry = (item: Item): Html => {
  const { event } = item;
  const { title, detail } = tellingOf(event.name);
  const { evidence, inferred } = subjectOf(event);
  const shown = evidence === undefined ? undefined : (evidences[evidence] ?? evidence);
  return html`<li>
  <article aria-labelledby="event-${event.sequence}">
    <header>
      <h3 id="event-${event.sequence}">${title}</h3>
      ${badge(item)}
    </header>
    <p class="when">${time(event.occurredAt)} · ${actors[event.source] ?? event.source}</p>
    <p>${detail}${shown === undefined ? '' : ` Evidence: ${shown}.`}${inferred ? ' Not reported by itself: it follows from a later report.' : ''}</p>
    <details>
      <summary>Hashes of event ${event.sequence}</summary>
      <dl>
        ${row('Event', event.eventHash)}
        ${row('Credential', event.credential?.hash)}
        ${event.credential ? row('Credential before', event.credential.previousHash ?? 'none, it is the first') : undefined}
        ${row('Place in the log', event.credential?.logIndex)}
        ${row('Position', String(event.position))}
      </dl>
    </details>
  </article>
</li>`;
};

const statusWords: Record<string, string> = {
  draft: 'Draft',
  queued: 'Accepted',
  processing: 'In production',
  posted: 'Posted',
  in_transit: 'On its way',
  delivered: 'Delivered',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

/** @param assets the folder of style and script, with a slash at its end; empty: the page's own */
const layout = (title: string, body: Html, assets = ''): string =>
  pageLayout({
    title,
    stylesheet: `${assets}page.css`,
    script: html`<script type="module" src="${assets}page.js"></script>`,
    body,
  });

/** For a link that opens nothing, whatever the reason. */
export const auditNotFoundPage = (): string =>
  layout(
    'Nothing here',
    html`<main class="sheet">
<h1>Nothing here</h1>
<p>This link does not open an audit page. It may have expired, or part of it may be missing. Ask the person who gave it to you for a new one.</p>
</main>`,
  );

/** The name of what a code stands for; the code itself where it is not known here. */
const nameOf = (
  table: Record<string, { name: string }>,
  code: string | undefined,
): string | undefined =>
  code === undefined ? undefined : Object.hasOwn(table, code) ? table[code]?.name : code;

const facts = ({ history, identity, madeAt }: Page, subject: Partial<CredentialSubject>): Html => {
  const { checkpoint, events } = history;
  return html`<dl class="facts">
  ${row('Letter', history.letterId)}
  ${row('State', statusWords[events.at(-1)?.status ?? ''] ?? '—')}
  ${row('Sent as', nameOf(services, subject.service))}
  ${row('Country', nameOf(countries, subject.country))}
  ${row('Signed by', identity.did)}
  ${row('Log', checkpoint ? `${identity.logOrigin}, ${numberOf(checkpoint.size, 'credential')}` : 'no checkpoint yet')}
  ${row('Page made', `${madeAt.slice(0, 19).replace('T', ' ')} UTC`)}
</dl>`;
};

const notices = ({ history }: Page): Html[] => [
  ...(history.test
    ? [html`<p class="notice"><strong>Test letter.</strong> Nothing was printed or posted.</p>`]
    : []),
  ...(history.complete
    ? []
    : [
        html`<p class="notice"><strong>Not complete yet.</strong> The latest events are still being signed; load the page again in a moment.</p>`,
      ]),
];

type Page = {
  history: AuditHistory;
  /** Audit paths by log index. */
  paths: Map<number, Buffer[]>;
  identity: PublishedIdentity;
  /** What the service says anew of credentials whose key was revoked. */
  reattestations: string[];
  bundleHref: string;
  madeAt: string;
  /** In the console: where style and script are, and what else the page leads to. */
  console?: { assets: string; back: string; certificate: string };
};

/** Other work of the event loop runs in between, because a history may be long. */
export const auditPage = async (page: Page): Promise<string> => {
  const { history, paths, identity, bundleHref, console: links } = page;
  const shown = history.events.slice(0, maxShown);
  const hidden = history.events.length - shown.length;
  const last = history.events.findLast((event) => event.credential);
  const entries = await mapInSlices(shown, (event) => entry({ event, history, paths }));
  return layout(
    'Audit of a letter',
    html`<a class="skip" href="#timeline">To the timeline</a>
<main class="sheet" data-letter="${history.letterId}" data-origin="${identity.logOrigin}"
  data-keys="${JSON.stringify(identity.keys)}" data-checkpoint="${history.checkpoint?.note ?? ''}"
  data-reattestations="${page.reattestations.join(' ')}">
<header class="head">
  <p class="kind">Audit record</p>
  <h1>History of a letter</h1>
${links && html`  <p><a href="${links.back}">Audit</a> · <a href="${links.certificate}">Certificate</a></p>`}
  <p class="lead">What happened to this letter, as it was recorded and signed at the time. Names, addresses and content are not part of this page.</p>
</header>
${notices(page)}
${facts(page, last ? subjectOf(last) : {})}
<section aria-labelledby="check">
  <h2 id="check">Verification</h2>
  <p id="summary" role="status" data-state="unchecked">The signatures were not checked in this browser. Download the bundle to verify them.</p>
  <p><a class="button" href="${bundleHref}" download>Download the bundle</a></p>
  <p class="hint">The bundle holds the records, the signatures, the proofs and a program that verifies them without a network. This page checks signatures against the keys that came with it; the bundle can be checked against keys that you fetched yourself.</p>
</section>
<section aria-labelledby="timeline">
  <h2 id="timeline" tabindex="-1">Timeline</h2>
  <ol class="timeline">
${entries}
  </ol>
  ${hidden > 0 ? html`<p>${numberOf(hidden, 'more event')} ${hidden === 1 ? 'is' : 'are'} in the bundle.</p>` : undefined}
</section>
</main>`,
    links?.assets,
  );
};
