import { expect } from 'chai';
import { isAppError } from '../../../contract/errors.ts';
import { createDocumentRenderer } from '../../../documents/render/letter-pdf.ts';
import { serviceTurn } from '../../../limits/turn.ts';

describe('text letters that an account looks at', () => {
  const letter = (account: string | undefined) => ({
    terms: {
      ...{ country: 'DE', service: 'de_standardbrief', envelope: 'DL', kind: 'text' as const },
      ...{ test: false, coverPage: false, pages: 1 },
    },
    ...{ to: ['Anna'], from: ['Bob'], at: '2027-03-01T10:00:00Z' },
    turn: account === undefined ? serviceTurn : { standing: 'confirmed' as const, account },
  });

  /** Every look at the clock is so much later. */
  const rendererAt = (stepMs: number) => {
    let nowMs = 0;
    const now = () => {
      nowMs += stepMs;
      return nowMs;
    };
    return createDocumentRenderer({
      html: { render: () => Promise.reject(new Error('no browser')) },
      clock: { now, workedMs: now },
    });
  };
  const text = Buffer.from('Hallo');

  it('take no more of the time of all than it may have, however many it asks for at once', async () => {
    const render = rendererAt(400);
    const asked = Array.from({ length: 60 }, () => render(letter('a'), text));
    const answers = await Promise.allSettled(asked);
    const refused = answers.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(answers.length - refused.length).to.be.within(3, 30);
    expect(refused.every((error) => isAppError(error) && error.code === 'rate_limited')).to.equal(
      true,
    );
    await render(letter('b'), text);
    for (let n = 0; n < 60; n++) await render(letter(undefined), text);
  });

  it('are never refused where they take the usual time', async () => {
    const render = rendererAt(20);
    const answers = await Promise.allSettled(
      Array.from({ length: 200 }, () => render(letter('a'), text)),
    );
    expect(answers.filter(({ status }) => status === 'rejected')).to.deep.equal([]);
  });
});
