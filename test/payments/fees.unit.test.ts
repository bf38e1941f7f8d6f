import { expect } from 'chai';
import fc from 'fast-check';
import { createPublicClient, custom, http } from 'viem';
import { type Fees, raise } from '../../infra/payments/x402/fees.ts';
import { type Answer, answerIn } from '../../infra/payments/x402/node-answers.ts';

describe('what a transaction offers when it is sent again', () => {
  const wei = fc.bigInt({ min: 0n, max: 10n ** 13n });
  const fees: fc.Arbitrary<Fees> = fc
    .tuple(wei, wei)
    .map(([tip, base]) => ({ maxPriorityFeePerGas: tip, maxFeePerGas: tip + base }));

  it('is an eighth more at least, no less than the fees of now, and at most four times those', () => {
    fc.assert(
      fc.property(fees, fees, (last, now) => {
        const next = raise(last, now);
        if (!next) {
          expect(last.maxFeePerGas * 9n + 8n > 32n * now.maxFeePerGas).to.equal(true);
          return;
        }
        for (const fee of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
          expect(next[fee] > last[fee], fee).to.equal(true);
          expect(next[fee] * 8n >= last[fee] * 9n, fee).to.equal(true);
          expect(next[fee] >= now[fee], fee).to.equal(true);
          expect(next[fee] <= 4n * now.maxFeePerGas, fee).to.equal(true);
        }
        expect(next.maxFeePerGas >= next.maxPriorityFeePerGas).to.equal(true);
      }),
    );
  });
});

describe('what nodes say of a transaction', () => {
  const sentences: Record<Exclude<Answer, 'unheard'>, string[]> = {
    taken: [
      'already known',
      'transaction already imported',
      'Transaction with the same hash was already imported.',
      'existing tx with same hash',
      'Known transaction: 0x00',
      'AlreadyKnown',
    ],
    used: [
      'nonce too low: next nonce 5, tx nonce 4',
      'Nonce too low. Expected nonce to be 5 but got 4.',
      'Transaction nonce is too low. Try incrementing the nonce.',
      'OldNonce',
    ],
    outbid: [
      'replacement transaction underpriced',
      'could not replace existing tx',
      'ReplacementNotAllowed',
      'Transaction gas price is too low. There is another transaction with same nonce in the queue. Try increasing the gas price or incrementing the nonce.',
    ],
    refused: [
      'transaction underpriced',
      'insufficient funds for gas * price + value: balance 0, tx cost 1',
      'max fee per gas less than block base fee',
      'txpool is full',
    ],
  };

  const answerOf = async (transport: ReturnType<typeof custom | typeof http>) => {
    const client = createPublicClient({ transport });
    return client.sendRawTransaction({ serializedTransaction: '0x02' }).then(
      () => expect.fail('it was sent'),
      (error: unknown) => answerIn(error),
    );
  };
  const saying = (message: string, code: number) =>
    custom(
      {
        request: async () => {
          throw { code, message };
        },
      },
      { retryCount: 0 },
    );

  for (const [answer, said] of Object.entries(sentences)) {
    for (const message of said) {
      it(`“${message}” is read as ${answer}`, async () => {
        for (const code of [-32_000, -32_003]) {
          expect(await answerOf(saying(message, code))).to.equal(answer);
        }
      });
    }
  }

  it('leave it open whether they have it where they break, or cannot be reached', async () => {
    expect(await answerOf(saying('something went wrong', -32_603))).to.equal('unheard');
    const nowhere = http('http://127.0.0.1:1', { retryCount: 0 });
    expect(await answerOf(nowhere)).to.equal('unheard');
  });
});
