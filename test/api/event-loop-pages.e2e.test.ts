import { expect } from 'chai';
import type { Portal } from '../../contract/portal.ts';
import { defaultLimits } from '../../limits/table.ts';
import { consolePath, operatorPath } from '../../pages/console/paths.ts';
import { consoleAt } from '../console/console-client.ts';
import { operatorAt } from '../console/operator-client.ts';
import { useService } from '../support/client.ts';
import { costlyBodies } from '../support/costly-bodies.ts';
import { boundary, multipartForms, urlEncodedForms } from '../support/costly-forms.ts';
import { costlyMessages } from '../support/costly-messages.ts';
import { useThreadCost } from '../support/thread-cost.ts';

const maxBytes = defaultLimits.bodyBytes;

const formTypes: [string, string][] = [
  ...Object.keys(urlEncodedForms).map((kind): [string, string] => [
    kind,
    'application/x-www-form-urlencoded',
  ]),
  ...Object.keys(multipartForms).map((kind): [string, string] => [
    kind,
    `multipart/form-data; boundary=${boundary}`,
  ]),
];

const pathsIn = ({ path, forms }: Portal): string[] =>
  forms.map((form) => path + form.replaceAll(/\{\w+\}/g, 'a11eece7-0000-4000-8000-000000000000'));

const headersOf = (type: string, cookie: string | undefined): Record<string, string> => ({
  'Content-Type': type,
  'Sec-Fetch-Site': 'same-origin',
  ...(cookie === undefined ? {} : { Cookie: cookie }),
});

describe('the event loop, next to the operations', () => {
  const api = useService({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'letters@example.com' });
  const { assertCheap } = useThreadCost();
  const console = consoleAt(() => api.service().url);
  const operator = operatorAt(
    () => api.service().url,
    () => api.service().service.foundation,
  );
  const portalsAt = (...paths: string[]) =>
    api.service().service.portals.filter(({ path }) => paths.includes(path));

  /** All forms are read by one rule: each gets a third of the kinds, and another third for another caller. */
  async function* forms(
    portals: readonly Portal[],
    turn: number,
    session: () => Promise<string | undefined> = async () => undefined,
  ) {
    for (const [nth, path] of portals.flatMap(pathsIn).entries()) {
      const cookie = await session();
      for (const [index, [kind, type]] of formTypes.entries()) {
        if ((nth + index) % 3 !== turn) continue;
        yield {
          name: path,
          url: api.service().url + path,
          method: 'POST',
          kind,
          bounds: { maxBytes, maxValues: 200 },
          start: {},
          headers: headersOf(type, cookie),
        };
      }
    }
  }

  async function* messages(key: string | undefined) {
    const authorization: Record<string, string> =
      key === undefined ? {} : { Authorization: `Bearer ${key}` };
    for (const maxValues of [5_100, 20_000]) {
      for (const kind of [...Object.keys(costlyMessages), ...Object.keys(costlyBodies)]) {
        yield {
          name: `MCP with ${maxValues} values`,
          url: `${api.service().url}/mcp`,
          method: 'POST',
          kind,
          bounds: { maxBytes, maxValues },
          start: { jsonrpc: '2.0', id: 1, method: 'tools/call' },
          headers: { 'Content-Type': 'application/json', ...authorization },
        };
      }
    }
  }

  it('is held by no form of a stranger', async function () {
    this.timeout(600_000);
    await assertCheap(forms(api.service().service.portals, 0));
  });

  it('is held by no form of a person who signed in', async function () {
    this.timeout(600_000);
    const signedIn = async () => (await console.signIn((await api.register()).key)).cookie;
    await assertCheap(forms(portalsAt(consolePath), 1, signedIn));
  });

  it('is held by no form of an operator', async function () {
    this.timeout(600_000);
    const signedIn = async () => (await operator.signIn()).cookie;
    await assertCheap(forms(portalsAt(operatorPath), 2, signedIn));
  });

  it('is held by no form of any other portal, since there are only these', () => {
    const paths = api.service().service.portals.map(({ path }) => path);
    expect(paths.toSorted()).to.deep.equal([consolePath, operatorPath].toSorted());
  });

  it('is held by no message over MCP without a key', async function () {
    this.timeout(600_000);
    await assertCheap(messages(undefined));
  });

  it('is held by no message over MCP of an account', async function () {
    this.timeout(600_000);
    await assertCheap(messages((await api.register()).key));
  });
});
