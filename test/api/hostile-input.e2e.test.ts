import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { expect } from 'chai';
import {
  expectProblem,
  type Letter,
  letterTo,
  type NotificationJson,
  type PageOf,
  type ProblemJson,
  useService,
} from '../support/client.ts';

const bidi = '\u202e';
const emoji = '😀';
const anyType: unknown[] = [null, 7, -0, 1e308, true, [], ['x'], {}, { x: 1 }];
const without = <T>(values: readonly T[], ...excluded: T[]): T[] =>
  values.filter((value) => !excluded.includes(value));
const badText = ['\u0000', 'a\u0000b', '\ud800', 'a\u0007b', `a${bidi}b`, 'a\u200bb', '\u001b[31m'];

const addressText = [...anyType, '', ' ', '…', emoji, ...badText, 'x'.repeat(301), 'x'.repeat(150)];
const flag = [...without(anyType, true), 'true', '', 'yes', 1];
const choice = [...anyType, '', 'x', emoji, ...badText, 'DE ', 'de', 'constructor', '__proto__'];
const pair = (value: unknown) => ({ key: value });

/** Every field of a send, with wrong values for it. */
const wrongValues: Record<string, unknown[]> = {
  ...Object.fromEntries(
    ['to', 'from'].flatMap((side) => [
      ...['name', 'line1', 'city', 'postal_code', 'company', 'line2'].map((field) => [
        `${side}_${field}`,
        // Blank optional lines are left out; white space alone is no value.
        ['company', 'line2'].includes(field) ? without(addressText, ' ') : addressText,
      ]),
      [`${side}_country`, [...choice, 'IT', 'USA']],
      [`${side}_state`, [...without(addressText, ' '), 'XX']],
    ]),
  ),
  content: [
    ...anyType,
    '',
    ' \n\t ',
    'Hi 𓀀',
    ...without(badText, 'a\u200bb'), // a place to break the line
    '\u2066',
    '<p></p>',
    '<!doctype html>',
    '<p>𓀀</p>',
    '<div><img src="https://example.com/a.png"><script>alert(1)</script></div>',
    '<p><img src="data:image/png;base64,AAAA"></p>',
    'x'.repeat(500_001),
    'é'.repeat(300_000),
  ],
  document_url: [...anyType, '', 'x', 'javascript:alert(1)', 'https://127.0.0.1/a.pdf'],
  service: [...choice, 'us_first_class', 'de_standardbrief2'],
  intent: [...choice, 'urgent'],
  auto_fix: flag,
  color: flag,
  duplex: flag,
  draft: flag,
  hold_without_funds: flag,
  accept_address_as_is: flag,
  send_date: [...anyType, '', 'tomorrow', '2020-01-01', '2999-01-01', '2026-02-30', '0000-01-01'],
  date: [...without(anyType), true, '', 'tomorrow', '2026-02-30', '20260101', 'false'],
  language: [...without(choice, 'de'), 'en-GB', 'es'],
  logo: [...anyType, '', 'x', emoji, 'https://example.com/logo.png', 'data:image/png;base64,AAAA'],
  footer: [...anyType, '', ...without(badText, 'a\u200bb'), 'x\n'.repeat(5), 'x'.repeat(501)],
  reference: [...anyType, '', ...badText, 'x'.repeat(121)],
  quote_id: [...anyType, '', 'x', 'quote_', 'quote_e30.x', ...badText, 'x'.repeat(2001)],
  max_total: [null, true, [], {}, '5', '', -1, -0.01, 0.001, 5.0000001, 1e7, 1e308],
  letter_id: [...anyType, '', 'x', `urn:uuid:${randomUUID()}`, `{${randomUUID()}}`, '0'],
  metadata: [
    null,
    7,
    true,
    [],
    ['x'],
    'x',
    { '': 'x' },
    { 'a b': 'x' },
    { [emoji]: 'x' },
    { 'a\u0000': 'x' },
    { ['k'.repeat(41)]: 'x' },
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'x'])),
    ...[...anyType, ...badText, 'x'.repeat(501)].map(pair),
  ],
};

describe('hostile input over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });

  const nothingHappened = async (): Promise<void> => {
    const { transactions, ...wallet } = await client.balance();
    expect(wallet).to.include({ balance: 100, available: 100, held: 0 });
    expect(transactions).to.have.length(1);
    expect((await client.get<PageOf<Letter>>('/api/letters')).body.data).to.deep.equal([]);
    const { data } = (await client.get<PageOf<NotificationJson>>('/api/notifications')).body;
    expect(data.map(({ type }) => type)).to.deep.equal(['wallet.credited']);
  };

  const mustName = (answer: { status: number; text: string; body: ProblemJson }, field: string) => {
    expect(answer.status, answer.text).to.be.within(400, 499);
    expect(answer.body.code, answer.text).to.be.a('string');
    const pointers = answer.body.errors?.map(({ pointer }) => pointer) ?? [];
    const named = pointers.some(
      (pointer) => pointer === `/${field}` || pointer.startsWith(`/${field}/`),
    );
    expect(named, `${field}: ${answer.text}`).to.equal(true);
  };

  for (const [field, values] of Object.entries(wrongValues)) {
    it(`refuses a send with a wrong ${field}, names it, stores and charges nothing`, async () => {
      const country = field === 'to_state' ? 'US' : 'DE';
      for (const value of values) {
        mustName(await client.post('/api/send', letterTo(country, { [field]: value })), field);
      }
      await nothingHappened();
    });
  }

  it('refuses a send without a required field, naming it', async () => {
    const { intent: _, ...required } = letterTo('DE', { intent: undefined });
    for (const field of Object.keys(required)) {
      mustName(await client.post('/api/send', letterTo('DE', { [field]: undefined })), field);
    }
    await nothingHappened();
  });

  it('refuses fields that are none, and says which was meant', async () => {
    const raw = (text: string) =>
      api.call('POST', '/api/send', undefined, { key: client.key, raw: text });
    const right = JSON.stringify(letterTo('DE')).slice(1, -1);
    for (const name of [
      '__proto__',
      'constructor',
      'prototype',
      'toString',
      'account_id',
      'test',
    ]) {
      mustName(await raw(`{${right},"${name}":{"admin":true}}`), name);
    }
    const near = await client.post('/api/send', letterTo('DE', { to_nmae: 'x' }));
    mustName(near, 'to_nmae');
    expect(near.body.errors?.[0]?.hint).to.contain('to_name');
    for (const number of ['1e400', '-1e400', '1'.repeat(400)]) {
      mustName(await raw(`{${right},"max_total":${number}}`), 'max_total');
    }
    await nothingHappened();
    expect({}).not.to.have.property('admin');
  });

  it('keeps odd but harmless values exactly as they were sent', async () => {
    const metadata = JSON.parse('{"__proto__":"x","constructor":"y","a":"😀 ü"}');
    const sent = await client.send({ reference: "😀 '; drop table letters; --", metadata });
    const letter = await client.letter(sent.letter_id);
    expect(letter.reference).to.equal("😀 '; drop table letters; --");
    expect(JSON.stringify(letter.metadata)).to.equal(JSON.stringify(metadata));
    const query = new URLSearchParams({ 'metadata[__proto__]': 'x' });
    const found = await client.get<PageOf<Letter>>(`/api/letters?${query}`);
    expect(found.body.data).to.have.length(1);
  });

  it('refuses what is no JSON object', async () => {
    const post = (raw: string | Uint8Array<ArrayBuffer>) =>
      api.call('POST', '/api/send', undefined, { key: client.key, raw });
    for (const text of ['{', '{"a":1,}', "{'a':1}", 'NaN', '{"a":01}', '\ufeff', '{}{}', ' ']) {
      expectProblem(await post(text), 400, 'invalid_json');
    }
    expectProblem(await client.post('/api/send'), 400, 'invalid_json');
    for (const text of ['[]', '5', '"x"', 'null', 'true', '[[[]]]']) {
      expectProblem(await post(text), 422, 'validation_failed', '');
    }
    const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    expectProblem(await post(nested), 422, 'validation_failed');
    const many = `{${Array.from({ length: 30_000 }, (_, index) => `"k${index}":1`).join()}}`;
    expectProblem(await post(many), 422, 'validation_failed');
    const badUtf8 = Buffer.from(JSON.stringify(letterTo('DE', { to_name: 'A?B' })));
    badUtf8[badUtf8.indexOf('A?B') + 1] = 0xff;
    expectProblem(await post(new Uint8Array(badUtf8)), 400, 'invalid_encoding');
    await nothingHappened();
  });

  it('refuses other media types, compressed bodies and bodies that are too large', async () => {
    const raw = JSON.stringify(letterTo('DE'));
    const post = (headers: Record<string, string>, text = raw) =>
      api.call('POST', '/api/send', undefined, { key: client.key, raw: text, headers });
    for (const type of ['text/plain', 'application/xml', 'multipart/form-data', 'json', '']) {
      expectProblem(await post({ 'Content-Type': type }), 415, 'unsupported_media_type');
    }
    const latin = { 'Content-Type': 'application/json; charset=latin1' };
    expectProblem(await post(latin), 415, 'unsupported_media_type');
    expectProblem(await post({ 'Content-Encoding': 'gzip' }), 415, 'unsupported_media_type');
    const large = JSON.stringify(letterTo('DE', { content: 'x'.repeat(2_200_000) }));
    expectProblem(await post({}, large), 413, 'body_too_large');
    await nothingHappened();
  });

  it('repeats no secret and no stack to those who ask wrongly', async () => {
    const answers = [
      await client.post('/api/send', letterTo('DE', { to_city: 'a\u0007b' })),
      await api.call('GET', '/api/letters/%00', undefined, { key: client.key }),
      await api.call('POST', '/api/send', undefined, { key: client.key, raw: '{"to_name":' }),
    ];
    for (const { text } of answers) {
      expect(text).not.to.contain(client.key);
      expect(text).not.to.match(/node_modules|\.ts:\d|select |insert /);
    }
  });

  const talk = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(api.service().url);
      const socket = connect(Number(port), '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => {
        answer += chunk;
        if (answer.includes('\r\n\r\n')) socket.end();
      });
      socket.on('close', () => resolve(answer));
      socket.on('error', reject);
    });

  it('survives what is no HTTP', async () => {
    const requests = [
      'GARBAGE\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`,
      'POST /api/send HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      'POST /api/send HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
    ];
    for (const request of requests) expect(await talk(request)).to.match(/^HTTP\/1\.1 4\d\d /);
    expect((await client.get('/api/balance')).status).to.equal(200);
  });
});
