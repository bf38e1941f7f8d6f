import { expect } from 'chai';
import fc from 'fast-check';
import {
  type AttemptMail,
  decide,
  evolve,
  initialState,
  type MailCommand,
} from '../../commands/mails/mail.ts';
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
const attempt: AttemptMail = { type: 'AttemptMail', facts };
const confirm = (number = 1): MailCommand => ({ type: 'ConfirmMail', attempt: number });
const refuse = (code: string, final: boolean, number = 1): MailCommand => ({
  type: 'RefuseMail',
  attempt: number,
  code,
  final,
});
const giveUp = (attemptedBefore: string): MailCommand => ({ type: 'GiveUpMail', attemptedBefore });

const endsMail = (event: MailEvent | undefined): boolean =>
  event?.type === 'MailSent' || (event?.type === 'MailFailed' && event.data.final);

const requestsIn = (log: MailEvent[]): Set<string> =>
  new Set(log.flatMap((one) => (one.type === 'MailAttempted' ? (one.data.again ?? []) : [])));

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

  it('is sent again once for each request of the operator, whatever became of it', () => {
    const again = (request: string): MailCommand => ({ ...attempt, again: request });
    const asked = (number: number, request: string): MailEvent => ({
      type: 'MailAttempted',
      data: { ...facts, attempt: number, again: request },
    });
    const first = [attempted(), sent];
    given(...first)
      .when(again('r1'))
      .then(asked(2, 'r1'));
    given(...first, asked(2, 'r1'), sent)
      .when(again('r1'))
      .thenNothing();
    given(...first, asked(2, 'r1'), sent)
      .when(again('r2'))
      .then(asked(3, 'r2'));
    given(...first, asked(2, 'r1'), sent)
      .when(attempt)
      .thenNothing();
    given(attempted(), failed('rejected', true)).when(again('r1')).then(asked(2, 'r1'));
    given(attempted(), failed('greylisted', false)).when(again('r1')).then(asked(2, 'r1'));
    given(...first, asked(2, 'r1'), failed('greylisted', false))
      .when(again('r1'))
      .then(asked(3, 'r1'));
    given(...first, asked(2, 'r1'), failed('outcome_unknown', true))
      .when(again('r1'))
      .thenNothing();
    given(attempted()).when(again('r1')).thenNothing();
    given().when(again('r1')).then(asked(1, 'r1'));
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

  it('never has two attempts without an end between them, nor more rounds than requests', () => {
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
      fc.constantFrom('r1', 'r2').map((again): MailCommand => ({ ...attempt, again })),
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
          expect(before?.type).not.to.equal('MailAttempted');
          if (!endsMail(before)) return;
          const { again } = event.data;
          expect(again).not.to.equal(undefined);
          expect(requestsIn(log.slice(0, index)).has(again ?? '')).to.equal(false);
        });
        const mostSent = 1 + requestsIn(log).size;
        expect(log.filter(({ type }) => type === 'MailSent').length).to.be.at.most(mostSent);
      }),
    );
  });
});
