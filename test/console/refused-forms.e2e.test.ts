/** Pages after a form was refused are in the language of the person, and have no names of the API. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { errorCodesOf } from '../../http/openapi-common.ts';
import {
  confirmWords,
  stopChangeWords,
  unsubscribeWords,
} from '../../pages/confirm/confirm-words.ts';
import { refusalWords } from '../../pages/console/refusals/refusal-words.ts';
import { recoverWords } from '../../pages/recover/recover-words.ts';
import { letterTo, type Sent, useService } from '../support/client.ts';
import { consoleAt, formIn, type Shown } from './console-client.ts';

const folder = new URL('../../pages/console/', import.meta.url);

/** The names in the code of the owner's console: those of the operations that it calls are among them. */
const namesInConsole = (): Set<string> =>
  new Set(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.startsWith('operator'))
      .flatMap((name) => [
        ...readFileSync(new URL(name, folder), 'utf8').matchAll(/'([a-z]+(?:_[a-z]+)+)'/g),
      ])
      .map(([, name = '']) => name),
  );

type Form = {
  path: string;
  fields?: Record<string, string>;
  /** The code of the refusal. */
  code: string;
  /** The fields that have their error next to them. */
  wrong?: readonly string[];
};

const long = 'x'.repeat(600);
const letter = Object.fromEntries(
  Object.entries(letterTo('DE', { content: 'Guten Tag.' })).filter(
    ([, value]) => typeof value === 'string',
  ),
) as Record<string, string>;
const unknownId = '0193f3a0-0000-7000-8000-000000000001';

const forms: readonly Form[] = [
  { path: '/write', fields: { do: 'check' }, code: 'validation_failed', wrong: ['to_country'] },
  {
    path: '/write',
    fields: { ...letter, do: 'check', to_postal_code: '1' },
    code: 'address_invalid',
    wrong: ['to_postal_code'],
  },
  {
    path: '/write',
    fields: { ...letter, do: 'draft', to_city: 'x'.repeat(60), reference: long },
    code: 'validation_failed',
    wrong: ['reference'],
  },
  {
    path: '/write',
    fields: { ...letter, do: 'draft', to_city: 'Waldstadt '.repeat(8) },
    code: 'address_invalid',
    wrong: ['to_city'],
  },
  {
    path: '/write',
    fields: { ...letter, do: 'check', send_date: '2001-01-01' },
    code: 'validation_failed',
    wrong: ['send_date'],
  },
  {
    path: '/write',
    fields: { ...letter, do: 'check', content: '\u200b' },
    code: 'content_not_printable',
    wrong: ['content'],
  },
  {
    path: '/write',
    fields: { ...letter, do: 'check', service: 'us_certified' },
    code: 'service_not_available',
  },
  {
    path: '/write',
    fields: { ...letter, do: 'send', seen_price: '0.01' },
    code: 'max_total_exceeded',
  },
  {
    path: '/keys',
    fields: { label: long, scope: 'send' },
    code: 'validation_failed',
    wrong: ['label'],
  },
  {
    path: '/keys',
    fields: { label: 'a', scope: 'send', expires: '2001-01-01' },
    code: 'validation_failed',
    wrong: ['expires'],
  },
  { path: '/keys/key_unknown/revoke', fields: { sure: 'true' }, code: 'not_found' },
  { path: '/keys/key_unknown/freeze', code: 'not_found' },
  {
    path: '/webhooks',
    fields: { webhook_url: 'nothing' },
    code: 'validation_failed',
    wrong: ['webhook_url'],
  },
  {
    path: '/webhooks',
    fields: { webhook_url: 'https://127.0.0.1/hook' },
    code: 'url_not_allowed',
    wrong: ['webhook_url'],
  },
  { path: '/webhooks/test', code: 'webhook_not_set' },
  {
    path: '/settings',
    fields: { notification_email: 'nobody', language: 'de' },
    code: 'validation_failed',
    wrong: ['notification_email'],
  },
  {
    path: '/settings/close',
    fields: { confirm: 'somebody', do: 'close' },
    code: 'validation_failed',
    wrong: ['confirm'],
  },
  {
    path: '/limits/rules',
    fields: { effect: 'allow', id: 'a b', amount: '1,5,5', per: 'day' },
    code: 'validation_failed',
    wrong: ['id', 'amount'],
  },
  {
    path: '/limits/rules',
    fields: { effect: 'deny', amount: '5', per: 'day' },
    code: 'validation_failed',
  },
  { path: '/limits/rules', fields: { effect: 'hold' }, code: 'validation_failed' },
  {
    path: '/contracts',
    fields: { committed_units: '1', period: 'month', time_zone: 'Berlin', confirm: 'true' },
    code: 'validation_failed',
    wrong: ['committed_units'],
  },
  {
    path: '/contracts',
    fields: { committed_units: '51', period: 'month', time_zone: 'Berlin', confirm: 'true' },
    code: 'validation_failed',
    wrong: ['time_zone'],
  },
  {
    path: '/letters/recipient',
    fields: { to_name: '', to_country: 'XX' },
    code: 'validation_failed',
    wrong: ['to_name', 'to_country'],
  },
  { path: `/approvals/${unknownId}/approve`, code: 'not_found' },
];

/** The text of a page, except what is marked as English, code, and typed text. */
const readIn = (page: string): string =>
  page
    .replaceAll(/<(script|style|textarea|code)\b.*?<\/\1>/gs, '')
    .replaceAll(/<(\w+) lang="en">.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ');

/** Words that neither German nor French has. */
const english = /\b(?:the|this|is|are|were|not|with|and|your|of|has|have|must|be)\b/i;
const nameOfApi = /\b[a-z]+_[a-z_]+\b|\/api\/|`/;

const expectInLanguage = (page: Shown, language: string, what: string): void => {
  expect(page.text, what).to.contain(`<html lang="${language}"`);
  const [, main = ''] = page.text.split('<main');
  for (const text of readIn(main).split('\n')) {
    expect(text, what).to.not.match(english);
    expect(text, what).to.not.match(nameOfApi);
  }
};

/** Pages that act by a script, with the operations that they call. */
const scriptPages = {
  preview_confirmation: confirmWords,
  confirm_email: confirmWords,
  unsubscribe: unsubscribeWords,
  stop_email_change: stopChangeWords,
  recover_account: recoverWords,
};

describe('a refused form of the console', function () {
  this.timeout(180_000);
  const api = useService();
  const pages = consoleAt(() => api.service().url);

  it('has words for each error of the operations that the console calls', () => {
    const { operations } = api.service().service;
    const names = namesInConsole();
    const called = operations.filter(({ name }) => names.has(name));
    expect(called.map(({ name }) => name)).to.include.members([
      'send_letter',
      'top_up',
      'get_proof',
    ]);
    const codes = new Set(called.flatMap(errorCodesOf));
    expect([...codes].filter((code) => !Object.hasOwn(refusalWords.en, code))).to.deep.equal([]);
  });

  it('has words for each error of the operations behind links in mails, in each language', () => {
    const { operations } = api.service().service;
    for (const [name, table] of Object.entries(scriptPages)) {
      const codes = operations.find((one) => one.name === name)?.errors ?? [];
      expect(codes, name).to.not.have.length(0);
      for (const words of Object.values(table)) {
        expect(Object.keys(words), name).to.include.members(codes.map((code) => `error_${code}`));
        const said = Object.entries(words).filter(([word]) => word.startsWith('error_'));
        for (const [, sentence] of said) expect(sentence).to.not.match(nameOfApi);
      }
    }
  });

  for (const language of ['de', 'fr'] as const) {
    it(`is answered in the language of its page (${language})`, async () => {
      const client = await api.register();
      const person = await pages.signIn(client.key, { language });
      for (const { path, fields = {}, code, wrong = [] } of forms) {
        const page = await person.post(path, fields);
        const what = `${path} ${JSON.stringify(fields).slice(0, 200)}`;
        expect(page.status, what).to.be.within(400, 499);
        expect(page.text, what).to.contain(`data-code="${code}"`);
        expect(page.text, what).to.not.contain('lang="en"');
        expectInLanguage(page, language, what);
        for (const name of wrong) {
          expect(page.text, `${what} ${name}`).to.contain(`id="${name}-wrong"`);
        }
      }
    });

    it(`says the warnings of a letter in the language of its page (${language})`, async () => {
      const client = await api.register();
      const person = await pages.signIn(client.key, { language });
      const { body } = await client.post<Sent>('/api/send', {
        ...letterTo('DE', { content: 'Guten Tag, **wichtig**.' }),
        to_city: 'Berlin, Deutschland',
        intent: 'time_critical',
        draft: true,
      });
      const page = await person.get(`/letters/${body.letter_id}`);
      expect(page.text).to.contain('Markdown');
      expectInLanguage(page, language, 'the letter');
    });

    it(`says in the language of its page that a letter changed meanwhile (${language})`, async () => {
      const client = await api.register();
      const person = await pages.signIn(client.key, { language });
      const { body } = await client.post<Sent>('/api/send', { ...letterTo('DE'), draft: true });
      const path = `/letters/${body.letter_id}`;
      const form = formIn(await person.get(path), `${path}/send`);
      await client.patch(`/api${path}`, { reference: 'changed' });
      const page = await person.post(`${path}/send`, form);
      expect(page.text).to.contain('data-code="version_mismatch"');
      expectInLanguage(page, language, 'the letter');
    });
  }
});
