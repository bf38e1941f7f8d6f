/**
 * One e-mail to one recipient. It is sent at most once, and at most once more for each request of the
 * operator. An attempt is recorded before the mail server is called, and an attempt with an unknown outcome
 * is not repeated.
 */
import { type MailEvent, mailStream } from '../../events/mail.ts';
import type { Aggregate } from '../handling/aggregate.ts';

/** Facts that every event of a mail repeats. */
export type MailFacts = { mailId: string; accountId: string; kind: string; letterId?: string };

type Attempted = {
  facts: MailFacts;
  /** How many attempts there were. */
  attempt: number;
  /** Of the attempts for the last request. */
  firstAttemptAt: string;
  attemptedAt: string;
  /** The operator's requests to send it again that were begun, the last one at the end. */
  requests: readonly string[];
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
  const { facts, attempt, firstAttemptAt, attemptedAt, requests } = state;
  return { facts, attempt, firstAttemptAt, attemptedAt, requests };
};

const requestsOf = (state: Mail): readonly string[] =>
  state.status === 'none' ? [] : state.requests;

/** Whether attempts for a request were made; without a request, whether any were. */
export const isBegun = (state: Mail, again: string | undefined): boolean =>
  again === undefined ? state.status !== 'none' : requestsOf(state).includes(again);

export const evolve = (state: Mail, event: MailEvent, at: string): Mail => {
  if (event.type === 'MailAttempted') {
    const { attempt, again, ...facts } = event.data;
    const before = requestsOf(state);
    const begins = !isBegun(state, again);
    const requests = again !== undefined && begins ? [...before, again] : before;
    const firstAttemptAt = state.status === 'none' || begins ? at : state.firstAttemptAt;
    return { status: 'attempting', facts, attempt, firstAttemptAt, attemptedAt: at, requests };
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

/** `again`: the operator's request to send it again. */
export type AttemptMail = { type: 'AttemptMail'; facts: MailFacts; again?: string | undefined };

/** Claims the next attempt. A caller that gets no event must not send. */
export const attemptMail = (state: Mail, { facts, again }: AttemptMail): MailEvent[] => {
  const isDue = state.status === 'refused' || !isBegun(state, again);
  if (state.status === 'attempting' || !isDue) return [];
  const attempt = state.status === 'none' ? 1 : state.attempt + 1;
  const data = { ...facts, attempt, ...(again === undefined ? {} : { again }) };
  return [{ type: 'MailAttempted', data }];
};

type ConfirmMail = { type: 'ConfirmMail'; attempt: number };

/** The mail server took it. Counts also where the attempt was given up for lost meanwhile. */
const confirmMail = (state: Mail, { attempt }: ConfirmMail): MailEvent[] => {
  if (state.status === 'none' || state.attempt !== attempt) return [];
  const open =
    state.status === 'attempting' || (state.status === 'over' && state.code === outcomeUnknown);
  return open ? [{ type: 'MailSent', data: state.facts }] : [];
};

type RefuseMail = { type: 'RefuseMail'; attempt: number; code: string; final: boolean };

/** The attempt ended, and the mail was not taken. */
const refuseMail = (state: Mail, command: RefuseMail): MailEvent[] => {
  const { attempt, code, final } = command;
  if (state.status !== 'attempting' || state.attempt !== attempt) return [];
  return [{ type: 'MailFailed', data: { ...state.facts, code, final } }];
};

type GiveUpMail = { type: 'GiveUpMail'; attemptedBefore: string };

/** Closes an attempt that began before `attemptedBefore` and never ended. */
const giveUpMail = (state: Mail, { attemptedBefore }: GiveUpMail): MailEvent[] => {
  if (state.status !== 'attempting' || state.attemptedAt > attemptedBefore) return [];
  return [{ type: 'MailFailed', data: { ...state.facts, code: outcomeUnknown, final: true } }];
};

type DropMail = { type: 'DropMail'; code: string };

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
