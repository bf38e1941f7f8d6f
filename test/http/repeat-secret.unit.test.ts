import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { repeatedForMs } from '../../contract/secret-answers.ts';
import { assertRepeatable, isUnguessable } from '../../http/repeat-secret.ts';
import { refusalOf } from '../support/decider-spec.ts';

const answeredAt = '2026-11-22T10:00:00.000Z';
const repeat = (more: object = {}) =>
  refusalOf(() =>
    assertRepeatable({
      answeredAt,
      nowMs: Date.parse(answeredAt) + 1_000,
      anonymous: true,
      idempotencyKey: randomUUID(),
      instead: 'Ask the operator.',
      ...more,
    }),
  );

describe('an answer that holds a secret', () => {
  it('is repeated under an Idempotency-Key that nobody can guess', () => {
    for (let round = 0; round < 200; round++) {
      expect(isUnguessable(randomUUID())).to.equal(true);
      expect(isUnguessable(randomUUID().toUpperCase())).to.equal(true);
    }
    for (const hex of [randomBytes(16).toString('hex'), '6937089927417689899427da30d69289']) {
      expect(isUnguessable(hex), hex).to.equal(true);
    }
    expect(isUnguessable('kX9-vQ2mZ_r7TbA4LwE8sY1f')).to.equal(true);
    expect(repeat()).to.equal(undefined);
  });

  it('is not repeated to whoever may have guessed it', () => {
    for (const key of [
      ...[
        '1',
        'my-key',
        'register',
        'first-letter',
        'anna@example.com',
        '2026-11-22T10:00:00.000Z',
      ],
      ...[
        'a'.repeat(64),
        '00000000-0000-4000-8000-000000000001',
        'registration-of-anna-at-example',
      ],
      ...['123456789012345678901234567890123', 'AnnaRegistersOnTheTwentySecond', ''],
    ]) {
      expect(isUnguessable(key), key).to.equal(false);
      expect(repeat({ idempotencyKey: key }), key).to.equal('secret_not_repeated');
      expect(repeat({ idempotencyKey: key, anonymous: false }), key).to.equal(undefined);
    }
  });

  it('is repeated for minutes only, also to its owner', () => {
    const nowMs = Date.parse(answeredAt) + repeatedForMs;
    for (const anonymous of [true, false]) {
      expect(repeat({ nowMs, anonymous })).to.equal(undefined);
      expect(repeat({ nowMs: nowMs + 1, anonymous })).to.equal('secret_not_repeated');
    }
  });
});
