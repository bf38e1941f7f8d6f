import { expect } from 'chai';
import fc from 'fast-check';
import { decide, evolve, initialState, type MailCommand } from '../../commands/mails/mail.ts';
import type { MailEvent } from '../../events/mail.ts';
import { registry } from '../../events/registry.ts';
import { describeDecider, specTime } from '../support/decider-spec.ts';

const { given } = describeDecider({ initialState, evolve, decide });

const facts = { mailId: 'm1', accountId: 'acct_1', kind: 'shipped', letterId: 'l1' };
const attempted = (attempt = 1): MailEvent => ({
  type: 'MailAttempted',
  data: { ...facts, attempt },
});
const sent: MailEvent = { type: 'MailSent', data: facts };
const failed = (code: string, final: boolean): MailEvent => ({
  type: 'MailFailed',
  data: { ...facts, code, final },
});
const attempt: MailCommand = { type: 'AttemptMail', facts };
const confirm = (number = 1): MailCommand => ({ type: 'ConfirmMail', attempt: number });
const refuse = (code: string, final: boolean, number = 1): MailCommand => ({
  type: 'RefuseMail',
  attempt: number,
  code,
  final,
});
const giveUp = (attemptedBefore: string): MailCommand => ({ type: 'GiveUpMail', attemptedBefore });

describe('a mail', () => {
  it('is attempted once; whoever comes second gets nothing to send', () => {
    given().when(attempt).then(attempted());
    given(attempted()).when(attempt).thenNothing();
  });

  it('is attempted again after a refusal that may pass, never after another end', () => {
    given(attempted(), failed('greylisted', false)).when(attempt).then(attempted(2));
    given(attempted(), failed('rejected', true)).when(attempt).thenNothing();
    given(attempted(), failed('outcome_unknown', true)).when(attempt).thenNothing();
    given(attempted(), sent).when(attempt).thenNothing();
  });

  it('records how its attempt ended, once, and of this attempt alone', () => {
    given(attempted()).when(confirm()).then(sent);
    given(attempted()).when(refuse('rejected', true)).then(failed('rejected', true));
    given(attempted(), sent).when(confirm()).thenNothing();
    given(attempted(), sent).when(refuse('rejected', true)).thenNothing();
    const second = [attempted(), failed('greylisted', false), attempted(2)];
    given(...second)
      .when(confirm(1))
      .thenNothing();
    given(...second)
      .when(refuse('rejected', true, 1))
      .thenNothing();
    given().when(confirm()).thenNothing();
  });

  it('is given up when its attempt is old and never ended', () => {
    given(attempted()).when(giveUp(specTime)).then(failed('outcome_unknown', true));
    given(attempted()).when(giveUp('2026-03-01T11:59:59.999Z')).thenNothing();
    given(attempted(), sent).when(giveUp(specTime)).thenNothing();
    given().when(giveUp(specTime)).thenNothing();
  });

  it('counts as sent when whoever was given up comes back with a confirmation', () => {
    const lost = [attempted(), failed('outcome_unknown', true)];
    given(...lost)
      .when(confirm())
      .then(sent);
    given(...lost)
      .when(refuse('greylisted', false))
      .thenNothing();
  });

  it('is dropped only while it waits for another attempt', () => {
    const drop: MailCommand = { type: 'DropMail', code: 'obsolete' };
    given(attempted(), failed('greylisted', false)).when(drop).then(failed('obsolete', true));
    given().when(drop).thenNothing();
    given(attempted()).when(drop).thenNothing();
    given(attempted(), sent).when(drop).thenNothing();
  });

  it('never has two attempts without a refusal between them, whatever is commanded', () => {
    const command = fc.oneof(
      fc.constant(attempt),
      fc.integer({ min: 1, max: 3 }).map(confirm),
      fc
        .tuple(fc.constantFrom('greylisted', 'rejected', 'outcome_unknown'), fc.boolean())
        .chain(([code, final]) =>
          fc.integer({ min: 1, max: 3 }).map((number) => refuse(code, final, number)),
        ),
      fc.constant(giveUp(specTime)),
      fc.constant<MailCommand>({ type: 'DropMail', code: 'obsolete' }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 30 }), (commands) => {
        let state = initialState();
        const log: MailEvent[] = [];
        for (const one of commands) {
          for (const event of decide(state, one)) {
            registry.check(event);
            state = evolve(state, event, specTime);
            log.push(event);
          }
        }
        log.forEach((event, index) => {
          if (event.type !== 'MailAttempted') return;
          const before = log[index - 1];
          expect(before === undefined || before.type === 'MailFailed').to.equal(true);
          if (before?.type === 'MailFailed') expect(before.data.final).to.equal(false);
        });
        expect(log.filter(({ type }) => type === 'MailSent').length).to.be.at.most(1);
      }),
    );
  });
});
