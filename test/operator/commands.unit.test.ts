import { expect } from 'chai';
import { refundReference } from '../../commands/letters/goodwill.ts';
import { returnReasons } from '../../contract/return-reasons.ts';
import { letterWords } from '../../infra/mail/letter-words.ts';
import { dollars } from '../../money/amounts.ts';
import { buckets } from '../../money/buckets.ts';
import { UsageError } from '../../operator/command.ts';
import { commandOf, commandSpecs, specOf } from '../../operator/commands.ts';
import { helpOf, usage } from '../../operator/usage.ts';
import { parseAmount } from '../../service/operating/credit.ts';
import { projections } from '../../service/wings/wings.ts';

const letterId = '7c1e0d5e-0000-5000-8000-000000000001';

describe("the operator's command line", () => {
  for (const [args, problem] of [
    [['credit', 'acct_x', '0', '--reference', 'x'], 'AMOUNT must be more than zero'],
    [['credit', 'acct_x', '-5', '--reference', 'x'], '-5 is not an amount above zero'],
    [['credit', 'acct_x', '1,50', '--reference', 'x'], 'AMOUNT 1,50 is not an amount in USD'],
    [['credit', 'acct_x', '1e3', '--reference', 'x'], 'AMOUNT 1e3 is not an amount in USD'],
    [['credit', 'acct_x', '1.005', '--reference', 'x'], 'has more than 2 decimals'],
    [['credit', 'acct_x', '1000000.01', '--reference', 'x'], 'is above $1,000,000.00'],
    [['credit', 'acct_x', '5'], '--reference is missing'],
    [['credit', 'acct_x', '5', '--reference', ' '], '--reference is missing'],
    [['credit', 'acct_x', '5', '--reference', 'a\nb'], '--reference must be one line'],
    [['credit', 'acct_x', '5', '--reference', 'x', '--bucket', 'gold'], 'must be fiat or crypto'],
    [['credit', 'acct_x'], 'credit takes ACCOUNT and AMOUNT'],
    [['advance', 'nine', 'posted'], 'LETTER nine is not a letter_id'],
    [['rebuild', 'everything'], 'there is no projection everything'],
    [['reconcile', '--seen', 'cs_1'], '--seen RECEIPT and --by NAME belong together'],
    [['verify', 'it'], 'verify takes no arguments'],
    [['verify', '--fast'], 'there is no option --fast; verify takes no options'],
    [
      ['credit', 'x', '5', '--ref', 'x'],
      'there is no option --ref; credit takes --reference, --bucket',
    ],
    [['block', 'acct_x', '--reason'], '--reason has no value'],
    [['block', 'acct_x', '--reason', '-5 sent'], 'write --reason=-5 sent'],
    [['quotas', 'acct_x', '--drafts', '-5'], 'write --drafts=-5'],
    [['accounts', '--limit', '--blocked'], '--limit has no value'],
    [['letters', '--stale=yes'], '--stale takes no value'],
    [['revoke-keys', 'acct_x', '--key', 'key_a', '--key', 'key_b'], '--key is given twice'],
    [['letters', '-x'], 'there is no option -x; letters takes --account'],
    [['copy-log', '--from', 'mysql', '--to', 'postgres'], '--from must be postgres or esdb://…'],
    [['copy-log', '--from', 'postgres', '--to', 'esdb:/x'], '--to must be postgres or esdb://…'],
    [['replay'], 'replay takes LETTER'],
    [['resend', letterId, '--country', 'XX'], '--country XX is not one of'],
    [['resend', letterId, '--draft', '--free'], '--free cannot be used with --draft'],
    [['letters', '--recipient', 'x', '--returned'], '--returned cannot be used with --recipient'],
    [['redeliver', 'acct_x'], 'redeliver takes ACCOUNT and NOTIFICATION'],
    [['redeliver', 'acct_x', 'nine'], 'NOTIFICATION nine is not a notification id'],
    [['replay', letterId, '--as-of', 'noon'], '--as-of noon is neither a number of events nor'],
    [
      ['replay', letterId, '--as-of', '2026-11-20T14:00:00'],
      'nor a time with a time zone (2026-03-01T12:00:00Z)',
    ],
    [
      ['replay', letterId, '--as-of', '2026-11-31T00:00:00Z'],
      '--as-of 2026-11-31T00:00:00Z is neither a number of events nor',
    ],
    [
      ['revoke-key', 'key_a', '--compromised-at', '2026-02-29T10:00:00Z'],
      '--compromised-at 2026-02-29T10:00:00Z must be an instant',
    ],
    [['approve'], 'approve takes one APPROVAL'],
    [['approve', letterId], 'is not an approval_id'],
    [
      ['reject', `apr_${'0'.repeat(40)}`, '--reason', 'a\nb'],
      '--reason is missing or is not one line',
    ],
    [['destroy'], 'there is no command destroy'],
    [[], 'name a command'],
    [['advance', letterId, 'lost'], 'STATUS lost is not one of processing, posted'],
    [
      ['advance', letterId, 'posted', '--evidence', 'signature'],
      '--evidence cannot be used with posted',
    ],
    [['advance', letterId, 'failed', '--tracking', 'RR1'], '--tracking cannot be used with failed'],
    [['advance', letterId, 'posted', '--not-printed'], '--not-printed cannot be used with posted'],
    [['advance', letterId, 'returned', '--reason', 'Moved away'], 'must be lower-case letters'],
  ] as [string[], string][]) {
    it(`refuses "${args.join(' ').replace('\n', '\\n')}"`, () => {
      expect(() => commandOf(args)).to.throw(UsageError, problem);
    });
  }

  it('reads amounts exactly', () => {
    expect(parseAmount('25', 'fiat')).to.equal(25_000_000n);
    expect(parseAmount('0.29', 'fiat')).to.equal(290_000n);
    expect(parseAmount('1000000.00', 'fiat')).to.equal(1_000_000_000_000n);
    expect(parseAmount('9.999999', 'crypto')).to.equal(9_999_999n);
  });

  it('shows amounts with cents, and smaller parts only where there are any', () => {
    expect(dollars(1_234_567_500_000n)).to.equal('$1,234,567.50');
    expect(dollars(1n)).to.equal('$0.000001');
    expect(dollars(-290_000n)).to.equal('-$0.29');
    expect(dollars(0n)).to.equal('$0.00');
  });

  it('describes each command once, with every option in its usage line', () => {
    const names = commandSpecs.map(({ name }) => name);
    expect(new Set(names)).to.have.property('size', names.length);
    for (const spec of commandSpecs) {
      for (const option of spec.options) expect(spec.usage, spec.name).to.include(`--${option}`);
      expect(spec.summary, spec.name).to.match(/^[A-Z].*\.$/);
      expect(usage).to.include(`${spec.name} `).and.include(spec.summary);
      for (const line of helpOf(spec).split('\n')) {
        if (!line.startsWith('Usage')) expect(line.length, line).to.be.at.most(106);
      }
    }
  });

  it('names the references of both credits of a refund, by which adjust corrects them', () => {
    const help = helpOf(specOf('refund')).replaceAll(/\s+/g, ' ');
    for (const bucket of buckets) expect(help).to.include(`"${refundReference('ID', bucket)}"`);
  });

  it('names every read model in the help of rebuild', () => {
    const help = helpOf(specOf('rebuild'));
    for (const { name } of projections) expect(help).to.include(name);
  });

  it('names the reasons of a return that mails translate, in every language', () => {
    const codes = Object.keys(returnReasons);
    for (const code of codes) expect(helpOf(specOf('advance'))).to.include(code);
    for (const language of ['de', 'fr'] as const) {
      expect(Object.keys(letterWords[language].returned.reasons)).to.have.members(codes);
    }
  });
});
