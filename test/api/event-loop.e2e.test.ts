import type { AnyOperation } from '../../contract/operation.ts';
import { bodyRulesOf } from '../../http/body-rules.ts';
import { defaultLimits } from '../../limits/table.ts';
import { letterTo, useService } from '../support/client.ts';
import { costlyBodies } from '../support/costly-bodies.ts';
import { boundary, multipartForms } from '../support/costly-forms.ts';
import { useThreadCost } from '../support/thread-cost.ts';

/** Those that a file makes, or that go as far as a file may. */
const largeKinds = [
  'a file in base64',
  'a file that is not base64',
  'a long text',
  'a long name',
  'white space',
  'a long file',
];

const kindsOf = ({ forms }: { forms: boolean }): [string, string][] => [
  ...Object.keys(costlyBodies).map((kind): [string, string] => [kind, 'application/json']),
  ...Object.keys(forms ? multipartForms : {}).map((kind): [string, string] => [
    kind,
    `multipart/form-data; boundary=${boundary}`,
  ]),
];

describe('the event loop', () => {
  const api = useService({ MECH_MODE: 'test' });
  const { assertCheap } = useThreadCost();

  const ordersOf = (operation: AnyOperation, key: string | undefined) => {
    const rules = bodyRulesOf(operation, defaultLimits);
    if (rules === undefined) return [];
    const { name, method, path, input } = operation;
    const url =
      api.service().url + path.replaceAll(/\{\w+\}/g, 'a11eece7-0000-4000-8000-000000000000');
    const takesLetter = input.body.properties?.to_name !== undefined;
    const { content: _, ...letter } = letterTo('DE');
    return kindsOf(rules).map(([kind, type]) => ({
      name,
      url,
      method,
      kind,
      bounds: {
        maxBytes: largeKinds.includes(kind) ? rules.maxBytes : rules.maxRestBytes,
        maxValues: rules.maxValues,
      },
      start: takesLetter ? letter : {},
      headers: {
        'Content-Type': type,
        'Idempotency-Key': `${name} ${kind}`,
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
      },
    }));
  };

  async function* ordersOfAll(keyFor: () => Promise<string | undefined>) {
    for (const operation of api.service().service.operations) {
      yield* ordersOf(operation, await keyFor());
    }
  }

  it('is held by no body of a caller without a key', async function () {
    this.timeout(600_000);
    await assertCheap(ordersOfAll(async () => undefined));
  });

  it('is held by no body of an account', async function () {
    this.timeout(600_000);
    const { key } = await api.register();
    await assertCheap(ordersOfAll(async () => key));
  });

  it('is held by no body of one fresh account after the other', async function () {
    this.timeout(600_000);
    await assertCheap(ordersOfAll(async () => (await api.register()).key));
  });
});
