/**
 * One e-mail to one recipient. It is sent at most once: an attempt is on record before the mail server
 * is spoken to, and one whose outcome nobody knows is not repeated.
 */
import { type MailEvent, mailStream } from '../../events/mail.ts';
import type { Aggregate } from '../handling/aggregate.ts';

/** What every event of a mail says of it. */
export type MailFacts = { mailId: string; accountId: string; kind: string; letterId?: string };

type Attempted = {
  facts: MailFacts;
  /** How many attempts there were. */
  attempt: number;
  firstAttemptAt: string;
  attemptedAt: string;
};

export type Mail =
  | { status: 'none' }
  | ({ status: 'attempting' | 'sent' } & Attempted)
  /** Refused before it was taken; worth another attempt. */
  | ({ status: 'refused'; refusedAt: string } & Attempted)
  /** Not tried again. */
  | ({ status: 'over'; code: string } & Attempted);

/** The code of an attempt that was begun and never ended: the mail may have been taken, or not. */
export const outcomeUnknown = 'outcome_unknown';

export const initialState = (): Mail => ({ status: 'none' });

const attemptedOf = (state: Exclude<Mail, { status: 'none' }>): Attempted => {
  const { facts, attempt, firstAttemptAt, attemptedAt } = state;
  return { facts, attempt, firstAttemptAt, attemptedAt };
};

export const evolve = (state: Mail, event: MailEvent, at: string): Mail => {
  if (event.type === 'MailAttempted') {
    const { attempt, ...facts } = event.data;
    const firstAttemptAt = state.status === 'none' ? at : state.firstAttemptAt;
    return { status: 'attempting', facts, attempt, firstAttemptAt, attemptedAt: at };
  }
  if (state.status === 'none') throw new Error(`${event.type} before an attempt`);
  switch (event.type) {
    case 'MailSent':
      return { status: 'sent', ...attemptedOf(state) };
    case 'MailFailed': {
      const { code, final } = event.data;
      return final
        ? { status: 'over', code, ...attemptedOf(state) }
        : { status: 'refused', refusedAt: at, ...attemptedOf(state) };
    }
    default: {
      const unknown: never = event;
      return unknown;
    }
  }
};

export type AttemptMail = { type: 'AttemptMail'; facts: MailFacts };

/** Claims the next attempt; whoever gets no event must not send. */
export const attemptMail = (state: Mail, { facts }: AttemptMail): MailEvent[] => {
  if (state.status === 'none') return [{ type: 'MailAttempted', data: { ...facts, attempt: 1 } }];
  if (state.status !== 'refused') return [];
  return [{ type: 'MailAttempted', data: { ...facts, attempt: state.attempt + 1 } }];
};

export type ConfirmMail = { type: 'ConfirmMail'; attempt: number };

/** The mail server took it. Counts also where the attempt was given up for lost meanwhile. */
export const confirmMail = (state: Mail, { attempt }: ConfirmMail): MailEvent[] => {
  if (state.status === 'none' || state.attempt !== attempt) return [];
  const open =
    state.status === 'attempting' || (state.status === 'over' && state.code === outcomeUnknown);
  return open ? [{ type: 'MailSent', data: state.facts }] : [];
};

export type RefuseMail = { type: 'RefuseMail'; attempt: number; code: string; final: boolean };

/** The attempt ended, and the mail was not taken. */
export const refuseMail = (state: Mail, command: RefuseMail): MailEvent[] => {
  const { attempt, code, final } = command;
  if (state.status !== 'attempting' || state.attempt !== attempt) return [];
  return [{ type: 'MailFailed', data: { ...state.facts, code, final } }];
};

export type GiveUpMail = { type: 'GiveUpMail'; attemptedBefore: string };

/** Closes an attempt that began before `attemptedBefore` and never ended. */
export const giveUpMail = (state: Mail, { attemptedBefore }: GiveUpMail): MailEvent[] => {
  if (state.status !== 'attempting' || state.attemptedAt > attemptedBefore) return [];
  return [{ type: 'MailFailed', data: { ...state.facts, code: outcomeUnknown, final: true } }];
};

export type DropMail = { type: 'DropMail'; code: string };

/** A mail that was refused is not tried again, as there is no reason for it any more. */
export const dropMail = (state: Mail, { code }: DropMail): MailEvent[] =>
  state.status === 'refused'
    ? [{ type: 'MailFailed', data: { ...state.facts, code, final: true } }]
    : [];

export type MailCommand = AttemptMail | ConfirmMail | RefuseMail | GiveUpMail | DropMail;

export const decide = (state: Mail, command: MailCommand): MailEvent[] => {
  switch (command.type) {
    case 'AttemptMail':
      return attemptMail(state, command);
    case 'ConfirmMail':
      return confirmMail(state, command);
    case 'RefuseMail':
      return refuseMail(state, command);
    case 'GiveUpMail':
      return giveUpMail(state, command);
    case 'DropMail':
      return dropMail(state, command);
    default: {
      const unknown: never = command;
      return unknown;
    }
  }
};

export const mailAggregate: Aggregate<Mail, MailEvent> = {
  stream: mailStream,
  initialState,
  evolve,
};
