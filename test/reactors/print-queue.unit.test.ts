import { expect } from 'chai';
import type { PrintJob, PrintPartner } from '../../reactors/print-partner.ts';
import { createPrintQueue } from '../../reactors/print-queue.ts';

const turns = () => new Promise((resolve) => setImmediate(resolve));
const owning = async () => {};
const job = (id: string) => ({ ticket: { job_id: id }, pdf: Buffer.alloc(0) }) as PrintJob;

/** A partner that answers on command. */
const slowPartner = (name: string) => {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const answering = (what: string): Promise<void> => {
    asked.push(what);
    return new Promise((resolve) => answers.push(resolve));
  };
  const partner = {
    name,
    submit: ({ ticket }: PrintJob) => answering(ticket.job_id),
    status: (jobId: string) => answering(`status of ${jobId}`).then(() => 'unknown' as const),
  } as PrintPartner;
  return { partner, asked, answerOne: () => answers.shift()?.() };
};

describe('the queue in front of a print partner', () => {
  it('renders no more while what waits takes up its memory, and goes on when a letter has left', async () => {
    const queue = createPrintQueue({ rendering: 4, atPartner: 4, bytes: 100 });
    const rendered: number[] = [];
    const handedOver = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
    const passes = handedOver.map(({ promise }, n) =>
      queue.pass(async (render) => {
        await render(async () => {
          await turns();
          rendered.push(n);
          return Buffer.alloc(60);
        });
        await promise;
      }),
    );
    await turns();
    await turns();
    // All four had begun while there was room.
    expect(rendered).to.have.length(4);
    const late = queue.pass((render) => render(async () => Buffer.alloc(rendered.push(4))));
    await turns();
    expect(rendered).to.have.length(4);
    for (const n of [0, 1]) handedOver[n]?.resolve();
    await Promise.all(passes.slice(0, 2));
    await turns();
    expect(rendered, '120 bytes wait').to.have.length(4);
    handedOver[2]?.resolve();
    await late;
    expect(rendered).to.have.length(5);
    handedOver[3]?.resolve();
    await Promise.all(passes);
  });

  it('has room again after hand-overs and renderings that failed', async () => {
    const queue = createPrintQueue({ rendering: 1, atPartner: 1, bytes: 10 });
    const fail = (what: string) => async (): Promise<Buffer> => {
      throw new Error(what);
    };
    const results = await Promise.allSettled([
      queue.pass(async (render) => {
        await render(async () => Buffer.alloc(50));
        throw new Error('not handed over');
      }),
      queue.pass((render) => render(fail('not rendered'))),
      queue.pass((render) => render(async () => Buffer.from('third'))),
    ]);
    expect(results.map((one) => (one.status === 'rejected' ? one.reason.message : 'done')))
      .to.deep //
      .equal(['not handed over', 'not rendered', 'done']);
  });

  it('gives a partner few letters at once, and asks for the owner when a letter has its turn', async () => {
    const queue = createPrintQueue({ rendering: 1, atPartner: 2, bytes: 10 });
    const { partner, asked, answerOne } = slowPartner('house');
    const owners: string[] = [];
    const submit = (id: string) =>
      queue.inTurn(partner, async () => void owners.push(id)).submit(job(id));
    const all = ['a', 'b', 'c'].map(submit);
    await turns();
    expect([owners, asked]).to.deep.equal([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    answerOne();
    await all[0];
    await turns();
    expect([owners, asked]).to.deep.equal([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
    for (const _ of all) answerOne();
    await Promise.all(all);
  });

  it('gives nothing to a partner when the process lost the letters while they waited', async () => {
    const queue = createPrintQueue({ rendering: 1, atPartner: 1, bytes: 10 });
    const { partner, asked, answerOne } = slowPartner('house');
    let isOwner = true;
    const assertOwner = async () => {
      if (!isOwner) throw new Error('lost');
    };
    const first = queue.inTurn(partner, assertOwner).submit(job('a'));
    const second = queue
      .inTurn(partner, assertOwner)
      .submit(job('b'))
      .catch(({ message }: Error) => message);
    await turns();
    isOwner = false;
    answerOne();
    await first;
    expect(await second).to.equal('lost');
    expect(asked).to.deep.equal(['a']);
  });

  it('does not let a slow partner hold up another one', async () => {
    const queue = createPrintQueue({ rendering: 1, atPartner: 1, bytes: 10 });
    const [house, simulator] = [slowPartner('house'), slowPartner('simulator')];
    const stuck = queue.inTurn(house.partner, owning).status('a');
    const other = queue.inTurn(simulator.partner, owning).status('b');
    simulator.answerOne();
    expect(await other).to.equal('unknown');
    house.answerOne();
    await stuck;
  });
});
