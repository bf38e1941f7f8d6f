/**
 * Events of an e-mail. Stream `mail-<mail_id>`. They contain neither the recipient nor the text.
 *
 * Persisted contract: see events/letter.ts.
 */
import { Type } from '../ground/type.ts';
import type { EventDefinitions, EventUnion } from './definition.ts';

const Id = Type.String({ minLength: 1, maxLength: 64 });
const Code = Type.String({ minLength: 1, maxLength: 64 });
const mail = { mailId: Id, accountId: Id, kind: Code, letterId: Type.Optional(Id) };

export const mailEvents = {
  /** Stored before the mail server is called: a process that finds only this event must not send again. */
  MailAttempted: {
    version: 2,
    data: Type.Exact({
      ...mail,
      attempt: Type.Integer({ minimum: 1 }),
      /** The operator's request to send the mail again that this attempt belongs to. */
      again: Type.Optional(Id),
    }),
    /** In version 1 no mail was sent again. */
    upcasters: { 1: (data) => data },
  },
  /** The mail server took it. */
  MailSent: { version: 1, data: Type.Exact(mail) },
  /** The attempt did not send it. `final`: it is not tried again. */
  MailFailed: {
    version: 1,
    data: Type.Exact({ ...mail, code: Code, final: Type.Boolean() }),
  },
} as const satisfies EventDefinitions;

export type MailEvent = EventUnion<typeof mailEvents>;

export const mailStream = (mailId: string): string => `mail-${mailId}`;
