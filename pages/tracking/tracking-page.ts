/** Where a letter is, for its recipient: no scripts, no names, no addresses. */
import { countries } from '../../postal/countries.ts';
import { fullNameOf, services } from '../../postal/services.ts';
import { formatDate, type Language, localeOf } from '../../postal/stationery.ts';
import type { CountryCode, ServiceId } from '../../postal/types.ts';
import { happenedAt, type presentTracked } from '../../presenters/letter.ts';
import { statusNames } from '../../presenters/status-words.ts';
import { type Html, html } from '../html.ts';
import { nothingPage } from '../nothing-page.ts';
import { buttonTo, contactFact, type PageService, sheetPage } from '../sheet-page.ts';
import { type Progress, type TrackingWords, trackingWords } from './tracking-words.ts';

export type TrackingPage = {
  letter: ReturnType<typeof presentTracked> & { service: string; country: string };
  service: PageService;
  language: Language;
};

type Letter = TrackingPage['letter'];

const progressOf = ({ status, delivery_outcome: outcome }: Letter): Progress => {
  if (outcome === 'returned') return 'returned';
  if (status === 'delivered') return 'delivered';
  if (status === 'cancelled' || status === 'failed') return 'stopped';
  return status === 'posted' || status === 'in_transit' ? 'under_way' : 'preparing';
};

/** @param timeZone of the recipient's country, or UTC for a value that is a day already */
const dayIn = (at: string, language: Language, country: string, timeZone: string): string =>
  formatDate(new Date(at), localeOf(language, country as CountryCode), {
    dateStyle: 'long',
    timeZone,
  });

const windowOf = (letter: Letter, language: Language, words: TrackingWords): string => {
  const { earliest, latest } = letter.expected_delivery;
  const day = (date: string) => dayIn(`${date}T00:00:00Z`, language, letter.country, 'UTC');
  return earliest === latest ? day(latest) : words.window(day(earliest), day(latest));
};

const eventOf = (event: Letter['events'][number], page: TrackingPage): Html | undefined => {
  const { letter, language } = page;
  if (event.status === 'draft') return undefined;
  const told = statusNames[language][event.status];
  const at = happenedAt(event);
  if (at === undefined) return html`<li><strong>${told}</strong></li>`;
  const { timeZone } = countries[letter.country as CountryCode];
  return html`<li><strong>${told}</strong><br><time class="when" datetime="${at}">${dayIn(at, language, letter.country, timeZone)}</time></li>`;
};

export const trackingPage = (page: TrackingPage): string => {
  const { letter, service, language } = page;
  const words = trackingWords[language];
  const { facts } = words;
  const progress = progressOf(letter);
  const { title, lead } = words.progress[progress];
  const { carrier, tracking_number: number, tracking_url: url } = letter;
  const expected = progress === 'preparing' || progress === 'under_way';
  const numbered = letter.tracking_class !== 'none' && progress !== 'stopped';
  return sheetPage({
    language,
    kind: words.kind,
    service,
    title,
    lead: html`<p class="lead" id="state" data-progress="${progress}">${lead}</p>`,
    body: [
      letter.test ? html`<p class="notice">${words.test}</p>` : undefined,
      url ? buttonTo(url, words.follow(carrier)) : undefined,
      html`<dl class="facts">
${expected ? html`<div><dt>${facts.expected}</dt><dd>${windowOf(letter, language, words)}</dd></div>` : undefined}
<div><dt>${facts.carrier}</dt><dd>${fullNameOf(services[letter.service as ServiceId])}</dd></div>
${numbered ? html`<div><dt>${facts.number}</dt><dd>${number ?? words.numberLater}</dd></div>` : undefined}
${contactFact(service, facts.contact)}
</dl>
${letter.tracking_class === 'none' && expected ? html`<p class="hint">${words.untracked(carrier)}</p>` : undefined}
<h2>${words.way}</h2>
<ol class="timeline">
${letter.events.flatMap((event) => eventOf(event, page) ?? [])}
</ol>`,
    ],
  });
};

export const trackingNotFoundPage = (language: Language, prefix: string): string =>
  nothingPage(language, prefix, trackingWords[language].nothing);
