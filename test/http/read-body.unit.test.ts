import { Readable } from 'node:stream';
import { expect } from 'chai';
import { paymentHeaders } from '../../contract/payment-headers.ts';
import { Type } from '../../ground/type.ts';
import { createArrivalWatch } from '../../http/arrival-watch.ts';
import { createBodyParser } from '../../http/body-parser.ts';
import { readBody } from '../../http/read-body.ts';
import type { HttpContext } from '../../http/rule.ts';
import { createSlowBodies } from '../../http/slow-bodies.ts';
import { createFairShares } from '../../limits/fair-shares.ts';

const schema = Type.Object({ document: Type.String({ contentEncoding: 'base64' }) });
const rules = { maxBytes: 1e6, maxRestBytes: 1e6, maxValues: 100, forms: true };

describe('a file in a body', () => {
  for (const header of ['idempotency-key', ...paymentHeaders]) {
    it(`is fingerprinted where the body is parsed, in a thread, with ${header}`, async () => {
      const text = JSON.stringify({ document: 'AAAA' });
      const req = Object.assign(Readable.from([Buffer.from(text)]), {
        headers: {
          'content-type': 'application/json',
          'content-length': String(text.length),
          [header]: 'sent',
        },
      });
      const state: Record<string, unknown> = {
        address: '192.0.2.1',
        operation: { name: 'send_letter', input: { body: schema } },
      };
      const limits = {
        ofAccounts: createFairShares(1e9),
        ofOthers: createFairShares(1e9),
        arrivals: createArrivalWatch({ bytesPerSecond: 1, paceMs: 10_000 }),
        slow: createSlowBodies(),
      };
      const rule = readBody(schema, rules, { limits, parse: createBodyParser(undefined) });
      await rule({ req, state } as unknown as HttpContext, () => undefined);
      expect(state.fingerprints).to.have.keys('command', 'payment');
    });
  }
});
