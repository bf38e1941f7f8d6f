import { expect } from 'chai';
import { PNG } from 'pngjs';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { usualSheet } from '../../postal/geometry.ts';
import { fitFooter } from '../../postal/stationery.ts';
import { expectProblem, letterTo, recipientIn, useService } from '../support/client.ts';
import { printedLetter, textOf } from '../support/printed-letters.ts';

const logo = (() => {
  const image = new PNG({ width: 120, height: 40 });
  image.data.fill(90);
  return `data:image/png;base64,${PNG.sync.write(image).toString('base64')}`;
})();

type Refused = { errors: { pointer: string; code: string }[] };
type Warned = { warnings: { pointer: string; code: string }[]; preview_url: string };

describe('the letterhead over HTTP', function () {
  this.timeout(180_000);
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const printed = async (letterId: string) => {
    await client.advance(letterId);
    return printedLetter(api.service().dataDir, letterId);
  };

  it('has date, logo and footer as asked, on text and on HTML', async () => {
    for (const content of ['Hallo\n\nWelt', '<p>Hallo</p>']) {
      const head = { date: '2027-03-01', language: 'fr', logo, footer: 'IBAN DE00\nHRB 1' };
      const { letter_id } = await client.send({ content, ...head });
      const { pdf } = await printed(letter_id);
      const text = textOf(pdf, 1);
      expect(text).to.include('1er mars 2027').and.include('IBAN DE00').and.include('HRB 1');
      expect(pdf.toString('latin1')).to.include('/Subtype /Image');
    }
  });

  it('keeps it when the letter changes, and has no date where none is wanted', async () => {
    const { letter_id } = await client.send({ date: false, footer: 'Fußzeile 7', logo });
    const changed = await client.patch(`/api/letters/${letter_id}`, { to_name: 'Berta' });
    expect(changed.status, changed.text).to.equal(200);
    const { pdf } = await printed(letter_id);
    expect(textOf(pdf, 1)).to.include('Berta').and.include('Fußzeile 7');
    expect(textOf(pdf, 1)).to.not.match(/\b20\d\d\b/);
    expect(pdf.toString('latin1')).to.include('/Subtype /Image');
  });

  it('keeps its footer in another country, or the letter does not go there', async () => {
    // Four lines that fit a page to the US. A page to Germany is narrower.
    const line = 'Amtsgericht Musterstadt HRB 12345 '.repeat(5);
    const footerOf = (width: number) =>
      [1, 2, 3, 4].map((n) => `${n} ${line.slice(0, width)}`).join('\n');
    const [fits, tooWide] = ['US', 'DE'].map((country) => {
      const sheet = usualSheet(country as 'US' | 'DE');
      const widths = Array.from({ length: 160 }, (_, width) => width);
      return widths.findLast((width) => fitFooter(footerOf(width), sheet, fontMetrics()));
    });
    expect(fits).to.be.above(tooWide ?? 0);
    for (const draft of [true, false]) {
      const footer = footerOf(fits ?? 0);
      const { letter_id } = await client.send(letterTo('US', { footer, draft }));
      const path = `/api/letters/${letter_id}`;
      const before = await client.letter(letter_id);
      const moved = await client.patch<Refused>(path, recipientIn('DE'));
      expectProblem(moved, 422, 'validation_failed', '/footer');
      expect(moved.body.errors[0]?.code).to.equal('footer_too_long');
      expect(await client.letter(letter_id)).to.deep.equal(before);
    }
  });

  it('shows before the hand-over the date that will be printed', async () => {
    const sendDate = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
    const inWords = new Intl.DateTimeFormat('de-DE', { dateStyle: 'long', timeZone: 'UTC' });
    const [printedDay, today] = [new Date(sendDate), new Date()].map((day) => inWords.format(day));
    for (const draft of [false, true]) {
      const head = { send_date: sendDate, language: 'de', draft };
      const { letter_id } = await client.send({ ...head, content: 'Hallo' });
      const url = `${api.service().url}/api/letters/${letter_id}/document.pdf`;
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${client.key}` } });
      const text = textOf(Buffer.from(await answer.arrayBuffer()), 1);
      // The 17th is not the 7th.
      expect(text)
        .to.include(printedDay)
        .and.not.match(new RegExp(`(?<!\\d)${today}`));
    }
  });

  it('is dated in the language of the sender where nothing is said', async () => {
    const from = {
      from_line1: '8 rue de Londres',
      from_city: 'Paris',
      from_postal_code: '75009',
      from_country: 'FR',
      from_state: undefined,
    };
    const { letter_id } = await client.send({ ...from, date: '2027-02-10' });
    expect(textOf((await printed(letter_id)).pdf, 1)).to.include('10 février 2027');
  });

  it('numbers the pages of HTML that does not lay them out itself', async () => {
    const content = '<p>Absatz</p>'.repeat(90);
    const plain = await client.send({ content });
    const { pdf, pages } = await printed(plain.letter_id);
    for (let page = 1; page <= pages; page++) {
      expect(textOf(pdf, page)).to.match(new RegExp(`${page} ?/ ?${pages}`));
    }
    const own = `<style>@page{@bottom-center{content:counter(page)}}</style>${content}`;
    const laidOut = await client.send({ content: own });
    expect(textOf((await printed(laidOut.letter_id)).pdf, 1)).to.not.match(/1 ?\/ ?\d/);
  });

  it('prints names of other scripts, whatever the letter is made of', async () => {
    for (const content of ['Hallo 李小龍', '<p>Hallo 李小龍</p>']) {
      const { letter_id } = await client.send({
        to_name: '金 하나',
        from_name: 'שרה כהן',
        content,
      });
      const { pdf } = await printed(letter_id);
      expect(textOf(pdf, 1)).to.include('李小龍').and.include('하나');
    }
  });

  it('is refused with the field and the way out', async () => {
    const refusals = [
      ['logo', 'data:image/svg+xml;base64,PHN2Zy8+', 'logo_unreadable'],
      ['logo', 'data:image/png;base64,AAAA', 'logo_unreadable'],
      ['logo', `data:image/png;base64,${'A'.repeat(266_680)}`, 'logo_too_large'],
      ['footer', 'a\nb\nc\nd\ne', 'footer_too_long'],
      ['footer', 'x\u202ey', 'character_bidi'],
      ['date', '2027-02-31', undefined],
      ['language', 'es', undefined],
    ] as const;
    for (const [name, value, code] of refusals) {
      for (const path of ['/api/send', '/api/quote']) {
        const answer = await client.post<Refused>(path, letterTo('DE', { [name]: value }));
        expect(answer.status, `${path} ${name} ${answer.text}`).to.equal(422);
        expect(answer.body.errors[0]?.pointer).to.equal(`/${name}`);
        if (code) expect(answer.body.errors[0]?.code).to.equal(code);
      }
    }
  });

  it('warns of a reference that is cut on paper or cannot be printed, in the quote and in the letter', async () => {
    const long = `${'Aktenzeichen 4711/2027 '.repeat(4)}Ende`;
    const codesOf = ({ warnings }: Pick<Warned, 'warnings'>) =>
      warnings.flatMap(({ pointer, code }) => (pointer === '/reference' ? [code] : []));
    for (const [reference, content, codes] of [
      [long, 'Hallo', ['reference_shortened']],
      [long, '<p>Hallo</p>', ['reference_shortened']],
      ['Az. \u{12000}', 'Hallo', ['not_printed']],
      ['Aktenzeichen 4711/2027', 'Hallo', []],
    ] as const) {
      const letter = letterTo('DE', { reference, content });
      const quoted = await client.post<Warned>('/api/quote', letter);
      expect(codesOf(quoted.body), quoted.text).to.deep.equal(codes);
      const sent = await client.send(letter);
      expect(codesOf(await client.letter(sent.letter_id))).to.deep.equal(codes);
      const text = textOf((await printed(sent.letter_id)).pdf, 1);
      if (codes.length === 0) expect(text).to.include(reference);
      else expect(text).to.not.include(reference.slice(-4));
    }
    const { letter_id } = await client.send({ draft: true });
    const changed = await client.patch<Warned>(`/api/letters/${letter_id}`, { reference: long });
    expect(codesOf(changed.body)).to.deep.equal(['reference_shortened']);
  });

  it('is in the picture of a quote', async () => {
    const quote = async (more: object) => {
      const { body } = await client.post<Warned>('/api/quote', letterTo('DE', more));
      const picture = await fetch(api.service().url + new URL(body.preview_url).pathname, {
        headers: { Authorization: `Bearer ${client.key}` },
      });
      return Buffer.from(await picture.arrayBuffer());
    };
    const bare = await quote({ date: '2027-02-10' });
    expect((await quote({ date: '2027-02-10', logo })).equals(bare)).to.equal(false);
    expect((await quote({ date: '2027-02-11' })).equals(bare)).to.equal(false);
  });
});
