import { randomUUID } from 'node:crypto';
import type { CommandContext } from '../commands/fold.ts';
import type { CommandHandler } from '../commands/handle.ts';
import type { SendContext } from '../commands/pay-letter.ts';
import type { QuoteTokens } from '../commands/quote.ts';
import type { AccountService } from '../commands/register-account.ts';
import type { SendLetterService } from '../commands/send-letter.ts';
import type { Clock } from '../contract/clock.ts';
import { requestFingerprint } from '../contract/fingerprint.ts';
import type { Limits } from '../contract/limits.ts';
import type { Caller, OperationRequest } from '../contract/operation.ts';
import { uuidv5 } from '../contract/uuid.ts';
import type { LetterPersonal } from '../presenters/letter.ts';
import type { LetterRecord } from '../projections/letters/query.ts';

/** What the write API is built from. */
export type WriteContext = {
  handler: CommandHandler;
  letters: SendLetterService;
  accounts: AccountService;
  quotes: QuoteTokens;
  clock: Clock;
  limits: Limits;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
  /** Settles the wallet after a letter changed. Returns a log position by which it is settled. */
  settle: (letterId: string, context: CommandContext) => Promise<bigint>;
  /** Forgets the data key of an erased letter. */
  forget: (letterId: string) => Promise<void>;
  /**
   * A letter as its stream says it is now, or as the named command left it (`undefined` if that
   * changed nothing), with what is personal in it.
   */
  readLetter: (
    letterId: string,
    asOfCommand?: string,
  ) => Promise<{ record: LetterRecord; personal: LetterPersonal | undefined } | undefined>;
  /** Whether the named read models reach a log position before the caller is kept waiting too long. */
  waitFor: (readModels: string[], position: bigint) => Promise<boolean>;
  /** Forgets what is cached of a key, so that its revocation holds at once. */
  keysChanged: () => void;
  newSecret: () => string;
};

/** The operation's name, with a request for it. */
type Asked = { name: string; request: OperationRequest };

const commandNamespace = 'c0a1e5ce-0000-5000-8000-636f6d6d616e';

/**
 * The id of the command: derived from caller and Idempotency-Key, so that a repetition is the same
 * command, or random. Without a caller the key counts per address.
 */
export const commandOf = ({ name, request }: Asked): CommandContext => {
  const { caller, idempotencyKey, address } = request;
  const who = caller?.accountId ?? `address ${address}`;
  return {
    commandId:
      idempotencyKey === undefined
        ? randomUUID()
        : uuidv5(commandNamespace, `${who}\n${name}\n${idempotencyKey}`),
    actor: caller ? `key:${caller.keyId}` : 'anonymous',
  };
};

/**
 * Keyed digest of what was asked, to tell a repetition from another request under the same key. A
 * request without a key is like no other.
 */
export const requestHashOf = (context: WriteContext, { name, request }: Asked): string =>
  request.idempotencyKey === undefined
    ? randomUUID()
    : context.indexOf('request', requestFingerprint(name, request.body, request.params));

export const sendContextOf = (
  context: WriteContext,
  command: CommandContext,
  asked: Asked & { request: { caller: Caller } },
): SendContext => ({
  ...command,
  accountId: asked.request.caller.accountId,
  test: asked.request.caller.test,
  requestHash: requestHashOf(context, asked),
  repeatable: asked.request.idempotencyKey !== undefined,
});

/** The header that tells a caller that reads may still show the state before. */
export const freshness = (caughtUp: boolean): Record<string, string> =>
  caughtUp ? {} : { 'X-Read-Model': 'catching-up' };
