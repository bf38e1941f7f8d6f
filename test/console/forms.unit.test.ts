import { expect } from 'chai';
import { areaField, fieldsOf, idempotencyHeader, textField } from '../../pages/console/form.ts';
import { problemNotice } from '../../pages/console/frame.ts';
import { addressOf, filterIn, queryOf } from '../../pages/console/letters/letter-filter.ts';
import { wrongFields } from '../../pages/console/refusals/problem-words.ts';
import { capOf, seenPriceIn } from '../../pages/console/seen-price.ts';
import { letterIn } from '../../pages/console/write/letter-form.ts';
import { html, markup } from '../../pages/html.ts';

const form = (fields: Record<string, string>) => new URLSearchParams(fields);

describe('fields of the console', () => {
  it('show what was typed as text, in attributes too', () => {
    const value = `"><script>alert('1')</script>`;
    const shown = markup(
      textField({ name: 'a', label: value, value, hint: value, wrong: html`${value}` }),
    );
    expect(shown).to.not.contain('<script>').and.to.not.contain(`"${value}`);
    expect(shown).to.contain('aria-invalid="true" aria-describedby="a-hint a-wrong"');
  });

  it('keep the blank lines at the beginning of a text', () => {
    const shown = markup(areaField({ name: 'a', label: 'A', value: '\n\nDear Anna' }));
    expect(shown).to.contain('>\n\n\nDear Anna</textarea>');
  });

  it('are left out where they are blank, and have the line breaks of the API', () => {
    const typed = form({ a: '  ', b: 'one\r\ntwo', c: 'unknown' });
    expect(fieldsOf(typed, ['a', 'b', 'missing'])).to.deep.equal({ b: 'one\ntwo' });
    expect(idempotencyHeader(form({}))).to.deep.equal({});
    expect(idempotencyHeader(form({ idempotency_key: 'k' }))).to.deep.equal({
      'idempotency-key': 'k',
    });
  });

  it('make a letter of the fields that a letter has', () => {
    const typed = form({ to_name: 'Anna', draft: 'true', max_total: '9', duplex: 'true' });
    expect(letterIn(typed)).to.deep.equal({ to_name: 'Anna', color: false, duplex: true });
  });

  it('have each error of a refusal said once, by the label of the field', () => {
    const errors = [
      { pointer: '/label', code: 'required', detail: 'label is missing. Add it.' },
      { pointer: '/scope', code: 'required', detail: 'scope is missing. Add it.' },
      { pointer: '/label', code: 'required', detail: 'label is missing, again.' },
    ];
    const { detail = '' } = errors[0] ?? {};
    const problem = { status: 422, code: 'validation_failed', title: '', detail, errors };
    const shown = markup(problemNotice(problem, 'de'));
    expect([...shown.matchAll(/<li>(.*?)<\/li>/g)].map(([, text]) => text)).to.deep.equal([
      'Name: Füllen Sie dieses Feld aus.',
      'Rechte: Füllen Sie dieses Feld aus.',
    ]);
    expect(shown).to.not.contain('missing');
  });

  it('find their errors by the pointer of the problem', () => {
    const finding = { code: 'required', detail: '' };
    const pointers = ['/to_city', '/recipient/line1', '/rules/3/limit/amount', '/query/from'];
    const errors = pointers.map((pointer) => ({ ...finding, pointer }));
    const wrong = wrongFields({ errors }, 'en');
    expect([...wrong.keys()]).to.deep.equal(['to_city', 'to_line1', 'amount', 'from']);
    expect(markup(wrong.get('amount') ?? html``)).to.equal('Fill in this field.');
  });
});

describe('the price that a page showed', () => {
  for (const [total, cap] of [
    [1.23, '1.23'],
    [1.2301, '1.24'],
    [0.1 + 0.2, '0.30'],
    [4.49, '4.49'],
    [1000, '1000.00'],
  ] as const) {
    it(`caps a send at whole cents (${total})`, () => expect(capOf(total)).to.equal(cap));
  }

  for (const text of ['', '-1', '1.234', '1e9', 'NaN', '12345678', '1,50']) {
    it(`is not known by ${JSON.stringify(text)}`, () =>
      expect(seenPriceIn(form({ seen_price: text }))).to.equal(undefined));
  }

  it('is what the form says', () => expect(seenPriceIn(form({ seen_price: '1.5' }))).to.equal(1.5));
});

describe('the filter of letters', () => {
  it('takes what is not personal, and nothing that it does not know', () => {
    const fields = form({
      status: 'queued',
      country: 'DE',
      from: '2026-11-01',
      until: '<script>',
      reference: 'secret',
    });
    expect(filterIn(form({ from: '2026-02-30', country: 'XX', made_by: 'me' }))).to.deep.equal({});
    const filter = filterIn(fields);
    expect(filter).to.deep.equal({ status: 'queued', country: 'DE', from: '2026-11-01' });
    expect(addressOf(filter, 'next')).to.equal(
      '/letters?status=queued&country=DE&from=2026-11-01&cursor=next',
    );
  });

  it('asks for whole days, and for returned letters by their outcome', () => {
    expect(queryOf({ status: 'returned', from: '2026-11-01', until: '2026-11-02' })).to.deep.equal({
      delivery_outcome: 'returned',
      created_after: '2026-11-01T00:00:00Z',
      created_before: '2026-11-02T23:59:59.9999Z',
    });
    expect(queryOf({ from: '2026-11-02', until: '2026-11-01' })).to.deep.equal(
      queryOf({ from: '2026-11-01', until: '2026-11-02' }),
    );
    expect(addressOf({})).to.equal('/letters');
  });
});
