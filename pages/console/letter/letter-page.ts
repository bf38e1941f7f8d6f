/** One letter: where it is, its price, its looks, and its actions. */

import { formatAddressLines } from '../../../postal/addresses/index.ts';
import { fullNameOf, services } from '../../../postal/services.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { CountryCode } from '../../../postal/types.ts';
import { labels, sheetsAndPages } from '../../../presenters/labels.ts';
import { happenedAt } from '../../../presenters/letter.ts';
import { shownStatus } from '../../../presenters/status-words.ts';
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { addressParts } from '../address-fields.ts';
import { idempotencyField, unsettledForm, versionField } from '../form.ts';
import { countryNames, day, moment, money, percent } from '../format.ts';
import { type AddressPart, isErased, type Letter } from '../letter-shown.ts';
import { liveRegion } from '../live-parts.ts';
import { findingsList } from '../refusals/problem-words.ts';
import { say } from '../refusals/say.ts';
import { capOf } from '../seen-price.ts';
import { statusBadge, statusIn } from '../status-badge.ts';
import type { Visit } from '../visit.ts';
import { isCopyable } from './copy-letter.ts';
import { failureWords, type LetterWords, letterWords } from './letter-words.ts';

/** Pages that are shown as pictures; the PDF has all of them. */
const mostPictures = 10;

/** In the order of its country. Of an erased letter only the country is known. */
const addressOf = (letter: Letter, side: 'to' | 'from', language: Language): Html => {
  const text = (part: AddressPart) => letter[`${side}_${part}`] ?? '';
  const country = text('country') as CountryCode;
  const lines = isErased(letter)
    ? [labels.erased[language]]
    : formatAddressLines({
        name: text('name'),
        company: text('company'),
        line1: text('line1'),
        line2: text('line2'),
        city: text('city'),
        state: text('state'),
        postalCode: text('postal_code'),
        country,
      });
  const named = countryNames(language).find(({ value }) => value === country);
  const all = [...lines, named?.label ?? country];
  return html`${all.map((line) => html`<span class="line">${line}</span>`)}`;
};

const windowOf = (letter: Letter, { language }: Visit): Html => {
  const { earliest, latest } = letter.expected_delivery;
  return earliest === latest
    ? day(latest, language)
    : html`${day(earliest, language)} – ${day(latest, language)}`;
};

/** Whether it waits until it goes into production. */
const isWaiting = ({ status }: Letter): boolean => status === 'draft' || status === 'queued';

const factsOf = (letter: Letter, visit: Visit, words: LetterWords): Html => {
  const { language } = visit;
  const { facts } = words;
  const { tracking_number: number, tracking_url: url } = letter.tracking;
  const until = letter.abilities.cancel ? letter.cancellable_until : null;
  const sendDate = isWaiting(letter) ? letter.send_date : null;
  const reference = isErased(letter) ? labels.erased[language] : letter.reference;
  return html`<dl class="facts">
${fact(facts.to, addressOf(letter, 'to', language))}
${fact(facts.from, addressOf(letter, 'from', language))}
${fact(facts.service, fullNameOf(services[letter.service]))}
${fact(facts.reference, reference ?? undefined)}
${fact(facts.sendDate, sendDate === null ? undefined : day(sendDate, language))}
${fact(facts.expected, windowOf(letter, visit))}
${fact(facts.number, number ?? undefined)}
${fact(facts.sheets, sheetsAndPages[language](letter.sheets, letter.pages))}
${fact(facts.created, moment(letter.created_at, language))}
${fact(facts.cancellable, until === null ? undefined : moment(until, language))}
${fact(facts.id, letter.letter_id)}
</dl>
${url === null ? undefined : html`<p><a class="button" href="${url}" rel="noreferrer">${words.follow}</a></p>`}`;
};

const priceOf = ({ price }: Letter, { language }: Visit, words: LetterWords): Html => {
  const { lines } = words;
  const { discount } = price;
  const line = (name: 'postage' | 'printing' | 'handling' | 'total', note?: Html) =>
    html`<tr><th scope="row">${lines[name]}${note}</th><td class="number">${money(price[name], language)}</td></tr>`;
  const reduced =
    discount &&
    html`<br><span class="hint">${words.reducedBy(money(discount.amount, language), percent(discount.rate, language))}</span>`;
  return html`<h2>${words.price}</h2>
<table class="price"><tbody>${line('postage')}${line('printing', reduced)}${line('handling')}${line('total')}</tbody></table>`;
};

const stepOf = (
  step: Letter['timeline'][number],
  { language }: Visit,
  words: LetterWords,
): Html => {
  const at = happenedAt(step);
  const source = words.sources[step.source] ?? step.source;
  return html`<li>
<strong>${statusIn(language, step.status)}</strong><br>
<span class="when">${at === undefined ? undefined : html`${moment(at, language)} · `}${source}${step.inferred ? html` · ${words.inferred}` : undefined}</span>
</li>`;
};

const timeline = (letter: Letter, visit: Visit, words: LetterWords): Html =>
  html`<h2>${words.way}</h2>
<ol class="timeline">
${letter.timeline.map((step) => stepOf(step, visit, words))}
</ol>`;

/** Whether its state may change while somebody looks. */
const isUnderWay = ({ status }: Letter): boolean =>
  ['queued', 'processing', 'posted', 'in_transit'].includes(status);

const pictures = (letter: Letter, { at }: Visit, words: LetterWords): Html | undefined => {
  if (isErased(letter)) return undefined;
  const count = Math.min(letter.pages, mostPictures);
  const base = `/letters/${letter.letter_id}`;
  return html`<h2>${words.pages}</h2>
<p class="hint">${words.legend}</p>
<ul class="pictures">
${Array.from({ length: count }, (_, index) => {
  const name = words.page(index + 1, letter.pages);
  return html`<li><img src="${at(`${base}/page-${index + 1}.png`)}" alt="${name}" width="420" height="594" loading="lazy"><span class="hint">${index + 1} / ${letter.pages}</span></li>`;
})}
</ul>
<p><a class="button" href="${at(`${base}/document.pdf`)}">${words.download}</a></p>`;
};

/** Hidden fields of a form on the page. */
type Hidden = {
  once?: boolean;
  kept?: URLSearchParams | undefined;
  version?: string | undefined;
  price?: string;
};

const hiddenFields = ({ once, kept, version, price }: Hidden): Html => html`
${once ? idempotencyField(kept) : undefined}
${versionField(version)}
${price === undefined ? undefined : html`<input type="hidden" name="seen_price" value="${price}">`}`;

/** Finds the other letters to the recipient. The address is sent in the form, so no address of a page has it. */
const othersPart = (letter: Letter, { at }: Visit, words: LetterWords): Html | undefined => {
  if (!letter.to_name || isErased(letter)) return undefined;
  const fields = addressParts.flatMap((part) => {
    const value = letter[`to_${part}`];
    return value ? [html`<input type="hidden" name="to_${part}" value="${value}">`] : [];
  });
  return html`<form method="post" action="${at('/letters/recipient')}">${fields}
<p><button class="button quiet" type="submit">${words.others}</button></p>
</form>`;
};

/**
 * Buttons for the actions that are possible now. Those that change the letter name the version that the
 * person has seen.
 */
const actions = (letter: Letter, version: string | undefined, visit: Visit): Html => {
  const words = letterWords[visit.language];
  const { send, update, cancel, delete: remove } = letter.abilities;
  const path = `/letters/${letter.letter_id}`;
  const base = visit.at(path);
  const form = (what: string, label: string, hidden: Omit<Hidden, 'kept'>) =>
    html`<form method="post" action="${base}/${what}">
${hiddenFields({ ...hidden, kept: unsettledForm(visit, `${path}/${what}`) })}
<p><button class="button" type="submit">${label}</button></p>
</form>`;
  const price = capOf(letter.price.total);
  return html`<div class="choices">
${send ? form('send', words.send, { once: true, version, price }) : undefined}
${update ? html`<p><a class="button" href="${base}/change">${words.change}</a></p>` : undefined}
${cancel ? form('cancel', words.cancel, { once: true, version }) : undefined}
${isCopyable(letter) ? form('again', words.again, { once: true }) : undefined}
${remove ? html`<p><a class="button" href="${base}/delete">${words.remove}</a></p>` : undefined}
<p><a class="button" href="${base}/proof">${words.proof}</a></p>
</div>
${cancel && letter.status !== 'draft' ? html`<p class="hint">${words.cancelHint}</p>` : undefined}`;
};

const failureText = ({ code, detail }: NonNullable<Letter['failure']>, language: Language): Html =>
  say(failureWords, [code], { known: {}, said: detail, language });

/** Why a draft waits, apart from being asked for. */
const waitsFor = (letter: Letter, { at }: Visit, words: LetterWords): Html | undefined => {
  const reason = letter.hold_reason;
  if (reason === 'funds') {
    return html`<p class="notice" id="held">${words.held.funds} <a href="${at('/wallet')}">${words.toWallet}</a></p>`;
  }
  return reason === 'approval'
    ? html`<p class="notice" id="held">${words.held.approval} <a href="${at('/approvals')}">${words.toApprovals}</a></p>`
    : undefined;
};

export const letterBody = (
  letter: Letter,
  version: string | undefined,
  visit: Visit,
  problem?: Html,
): Html => {
  const words = letterWords[visit.language];
  const state = shownStatus(letter.status, letter.delivery_outcome);
  return html`${problem}
${liveRegion({ id: 'now', isMoving: isUnderWay(letter) }, html`<p id="state" data-status="${letter.status}">${statusBadge(visit.language, state)}</p>`)}
${letter.failure ? html`<section class="problem"><h2>${words.failure}</h2><p>${failureText(letter.failure, visit.language)}</p></section>` : undefined}
${letter.warnings.length === 0 ? undefined : html`<section class="notice"><h2>${words.warnings}</h2>${findingsList(letter.warnings, visit.language)}</section>`}
${waitsFor(letter, visit, words)}
${actions(letter, version, visit)}
${factsOf(letter, visit, words)}
${othersPart(letter, visit, words)}
${priceOf(letter, visit, words)}
${liveRegion({ id: 'way', isMoving: isUnderWay(letter) }, timeline(letter, visit, words))}
${pictures(letter, visit, words)}`;
};
