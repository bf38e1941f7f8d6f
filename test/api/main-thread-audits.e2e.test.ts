import { expect } from 'chai';
import { letterBody } from '../support/letter-client.ts';
import { type MeasuredCaller, mostMs, useMeasuredService } from '../support/main-thread.ts';

/** Few letters are changed as often. */
const changes = 99;

describe('the thread that answers requests about the history of a letter', function () {
  this.timeout(180_000);
  const { newCaller, leastOf } = useMeasuredService();
  let owner: MeasuredCaller;
  let path: string;

  before(async () => {
    owner = await newCaller();
    const drafted = await owner.ask('POST', '/api/send', { ...letterBody('Text.'), draft: true });
    expect(drafted.status, JSON.stringify(drafted.body)).to.equal(201);
    const letterId = String(drafted.body.letter_id);
    path = `/api/identity/audit/${letterId}`;
    for (let n = 1; n <= changes; n++) {
      const change = { reference: `Change ${n}` };
      const { status, body } = await owner.ask('PATCH', `/api/letters/${letterId}`, change);
      expect(status, JSON.stringify(body)).to.equal(200);
    }
  });

  const read = async (from: string, accept: string): Promise<Buffer> => {
    const answer = await owner.fetch(from, { method: 'GET', accept });
    expect(answer.status, from).to.equal(200);
    return Buffer.from(await answer.arrayBuffer());
  };

  const ways: [what: string, accept: string, pathOf: () => Promise<string>][] = [
    ['a bundle', 'application/zip', async () => path],
    ['a history in JSON', 'application/json', async () => path],
    ['the page behind a link', 'text/html', () => link()],
    [
      'the bundle behind a link',
      'application/zip',
      async () => (await link()).replace('?', '/bundle.zip?'),
    ],
  ];
  const link = async (): Promise<string> => {
    const { body } = await owner.ask('POST', `${path}/link`, {});
    const { pathname, search } = new URL(String(body.url));
    return pathname + search;
  };

  for (const [what, accept, pathOf] of ways) {
    it(`spends at most ${mostMs} ms on ${what}`, async () => {
      const from = await pathOf();
      const ms = await leastOf(() => read(from, accept));
      expect(ms).to.be.below(mostMs);
    });
  }
});
