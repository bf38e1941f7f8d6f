/** Everything personal that may be stored of an account comes with its export. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { accountEvents, accountStream } from '../../events/account.ts';
import type { EventDefinitions } from '../../events/definition.ts';
import { letterEvents, letterStream } from '../../events/letter.ts';
import { orderEvents, orderStream } from '../../events/order.ts';
import { paymentEvents, paymentStream } from '../../events/payment.ts';
import type { Position } from '../../events/position.ts';
import { definitions } from '../../events/registry.ts';
import { topUpEvents, topUpStream } from '../../events/top-up.ts';
import { ucanEvents, ucanStream } from '../../events/ucan.ts';
import { volumeContractEvents, volumeContractStream } from '../../events/volume-contract.ts';
import { walletEvents, walletStream } from '../../events/wallet.ts';
import { linesOf } from '../../reactors/export-events.ts';
import { type Golden, goldenKey, goldenPath } from '../golden-events/golden.ts';

/** Streams that an export has (service/wings/export-account.ts), with the events that are in them. */
const exported: [stream: string, events: EventDefinitions][] = [
  [accountStream('acct_1'), accountEvents],
  [walletStream('acct_1', 0), walletEvents],
  [letterStream('letter_1'), letterEvents],
  [orderStream('order_1'), orderEvents],
  [paymentStream('payment_1'), paymentEvents],
  [topUpStream('topup_1'), topUpEvents],
  [ucanStream('cid_1'), ucanEvents],
  [volumeContractStream('acct_1'), volumeContractEvents],
];

const isPersonal = ([, { personal }]: [string, EventDefinitions[string]]) => personal !== undefined;

/** Secrets are left out. */
const secrets = new Set(['webhookSecret', 'previousSecret', 'secret', 'seed', 'token', 'tokens']);

const textsIn = (value: unknown, name = ''): string[] => {
  if (secrets.has(name)) return [];
  if (value === undefined) return [];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  return Object.entries(value).flatMap(([key, part]) => textsIn(part, key));
};

describe('events in an export', () => {
  const goldenOf = (type: string, version: number): Golden =>
    JSON.parse(readFileSync(goldenPath(type, version), 'utf8'));
  const linesFor = async (
    stream: string,
    { id, type, data, metadata }: Golden,
    key: Buffer | undefined,
  ) => {
    const recorded = { id, type, data, metadata, stream, version: 0n, position: 1n as Position };
    const ports = {
      store: {
        readStream: async (_: string, { from = 0n }: { from?: bigint } = {}) =>
          from === 0n ? [recorded] : [],
      },
      credentials: { ofStream: async () => [] },
      dataKeys: { get: async () => key },
    };
    let text = '';
    for await (const { lines } of linesOf(ports, stream)) text += lines;
    return text;
  };

  it('include every type with a personal part, except the books of an erased account', () => {
    const all = Object.entries(definitions).filter(isPersonal);
    const known = exported.flatMap(([, events]) => Object.keys(events));
    expect(all.map(([type]) => type).filter((type) => !known.includes(type))).to.deep.equal([
      'BooksKept',
    ]);
  });

  for (const [stream, events] of exported) {
    for (const [type, { version }] of Object.entries(events).filter(isPersonal)) {
      it(`show everything of ${type} except secrets`, async () => {
        for (let schema = 1; schema <= version; schema++) {
          const golden = goldenOf(type, schema);
          const text = await linesFor(stream, golden, goldenKey);
          const { personal } = JSON.parse(text);
          for (const part of textsIn(golden.decoded.personal)) {
            expect(JSON.stringify(personal)).to.include(part);
          }
          for (const [name, value] of Object.entries(golden.decoded.personal ?? {})) {
            if (secrets.has(name)) expect(text).not.to.include(JSON.stringify(value));
          }
          expect(JSON.parse(await linesFor(stream, golden, undefined))).not.to.have.property(
            'personal',
          );
        }
      });
    }
  }
});
