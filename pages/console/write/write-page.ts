/** The form of a letter, with price and pages once they were checked. */

import type { Static } from 'typebox';
import { countriesOf, fullNameOf, services } from '../../../postal/services.ts';
import { colon, sheetsAndPages } from '../../../presenters/labels.ts';
import type { QuotedLetter } from '../../../presenters/quote.ts';
import { type Html, html } from '../../html.ts';
import { addressFields, addressParts } from '../address-fields.ts';
import {
  accountField,
  areaField,
  fileField,
  idempotencyField,
  isRefused,
  selectField,
  textField,
  tickField,
} from '../form.ts';
import { money } from '../format.ts';
import { problemNotice } from '../frame.ts';
import { fileDrop, liveRegion } from '../live-parts.ts';
import { findingsList, wrongFields } from '../refusals/problem-words.ts';
import { capOf } from '../seen-price.ts';
import type { Problem, Visit } from '../visit.ts';
import type { WrongFields } from '../wrong-fields.ts';
import { type WriteWords, writeWords } from './write-words.ts';

export type Quote = Static<typeof QuotedLetter>;

/** Pages that are shown before a letter is sent. */
const mostPictures = 5;

const options = (visit: Visit, words: WriteWords, wrong: WrongFields): Html => {
  const { form } = visit;
  const isNew = form.size === 0;
  const value = (name: string) => form.get(name) ?? undefined;
  const all = [...visit.offered].map((id) => ({
    value: id,
    label: `${services[id].country}${colon(visit.language)} ${fullNameOf(services[id])}`,
  }));
  const cheapest = { value: '', label: words.cheapest };
  return html`<fieldset>
<legend>${words.options}</legend>
${selectField({ name: 'service', label: words.service, value: value('service') }, [cheapest, ...all])}
${textField({ name: 'reference', label: words.reference, value: value('reference'), wrong: wrong.get('reference') })}
${textField({ name: 'send_date', label: words.sendDate, type: 'date', value: value('send_date'), wrong: wrong.get('send_date') })}
${tickField('color', words.color, form.has('color'))}
${tickField('duplex', words.duplex, isNew || form.has('duplex'))}
${tickField('auto_fix', words.autoFix, form.has('auto_fix'))}
${tickField('accept_address_as_is', words.asIs, form.has('accept_address_as_is'))}
</fieldset>`;
};

const placements = ({ placements: labels }: WriteWords) =>
  (['stamp', 'in_document', 'insert_page'] as const).map((value) => ({
    value,
    label: labels[value],
  }));

const checkedPart = (quote: Quote, { at, language }: Visit, words: WriteWords): Html => {
  const count = quote.preview_url === null ? 0 : Math.min(quote.pages, mostPictures);
  return html`<section id="checked" class="notice">
<h2>${words.checked}</h2>
<p><strong>${money(quote.price.total, language)}</strong> · ${fullNameOf(services[quote.service])} · ${sheetsAndPages[language](quote.sheets, quote.pages)}</p>
${quote.warnings.length === 0 ? undefined : html`<h3>${words.warnings}</h3>${findingsList(quote.warnings, language)}`}
<ul class="pictures">
${Array.from({ length: count }, (_, index) => {
  const name = words.page(index + 1);
  const source = at(`/write/quotes/${encodeURIComponent(quote.quote_id)}/page-${index + 1}.png`);
  return html`<li><img src="${source}" alt="${name}" width="420" height="594"><span class="hint">${index + 1} / ${quote.pages}</span></li>`;
})}
</ul>
</section>`;
};

/** The price of the form as it is filled in, and its buttons. */
const pricePart = (quote: Quote | undefined, { language }: Visit, words: WriteWords): Html => {
  const total = quote?.price.total;
  const price = total === undefined ? undefined : money(total, language);
  const shown = html`<p role="status">${quote && html`<strong>${price}</strong> · ${sheetsAndPages[language](quote.sheets, quote.pages)}`}</p>
${total === undefined ? undefined : html`<input type="hidden" name="seen_price" value="${capOf(total)}">`}
<p class="choices">
<button class="button" type="submit" name="do" value="check">${words.check}</button>
<button class="button quiet" type="submit" name="do" value="draft">${words.draft}</button>
${price === undefined ? undefined : html`<button class="button" type="submit" name="do" value="send">${words.send(price)}</button>`}
</p>`;
  return liveRegion({ id: 'price', isPrice: true }, shown);
};

export const writeBody = (
  visit: Visit,
  shown: { quote?: Quote | undefined; problem?: Problem | undefined } = {},
): Html => {
  const { at, form, language } = visit;
  const words = writeWords[language];
  const { quote, problem } = shown;
  const wrong = wrongFields(problem, language);
  const typed = (name: string) => form.get(name) ?? undefined;
  const address = { parts: addressParts, contentOf: typed, wrong };
  return html`<p class="lead">${words.lead}</p>
${problem && problemNotice(problem, language)}
${quote && checkedPart(quote, visit, words)}
<form method="post" action="${at('/write')}" enctype="multipart/form-data">
${accountField(visit)}
${idempotencyField(problem && isRefused(problem) ? undefined : form)}
<div class="sides">
${addressFields({ ...address, side: 'to', legend: words.to, countries: countriesOf(visit.offered) }, language)}
${addressFields({ ...address, side: 'from', legend: words.from }, language)}
</div>
<fieldset>
<legend>${words.letter}</legend>
${areaField({ name: 'content', label: words.content, value: typed('content'), hint: words.contentHint, wrong: wrong.get('content') })}
${fileDrop(fileField({ name: 'file', label: words.file, hint: words.fileHint, wrong: wrong.get('file') }, 'application/pdf'))}
${selectField({ name: 'address_placement', label: words.placement, value: typed('address_placement') }, placements(words))}
</fieldset>
${options(visit, words, wrong)}
${pricePart(quote, visit, words)}
</form>`;
};
