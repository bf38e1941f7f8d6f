import { randomUUID } from 'node:crypto';
import type { RecoveryTokens } from '../commands/accounts/recovery.ts';
import type { AccountService } from '../commands/accounts/register-account.ts';
import type { CommandContext } from '../commands/handling/fold.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { createLetterPermission } from '../commands/letters/letter-permission.ts';
import type { SendContext } from '../commands/letters/pay-letter.ts';
import type { SendLetterService } from '../commands/letters/send-letter.ts';
import type { QuoteTokens } from '../commands/preparation/quote.ts';
import type { Clock } from '../contract/clock.ts';
import { requestFingerprint } from '../contract/fingerprint.ts';
import type { Limits } from '../contract/limits.ts';
import type { Caller, OperationRequest } from '../contract/operation.ts';
import { uuidv5 } from '../contract/uuid.ts';
import type { LetterPersonal } from '../presenters/letter.ts';
import type { LetterRecord } from '../projections/letters/query.ts';

/** How lost keys are replaced. */
export type Recovery = {
  tokens: RecoveryTokens;
  /** Whether links can be sent at all. */
  mailConfigured: boolean;
  /** Sees to it that the account's address gets a link, unless it just got one. */
  sendLink: (accountId: string) => Promise<void>;
};

/** What the write API is built from. */
export type WriteContext = {
  recovery: Recovery;
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
  /**
   * Judges an address that is to be called later: its form, and where its host leads to now.
   * @throws AppError url_not_allowed, which names the field
   */
  assertCallable: (url: string, pointer: string) => Promise<void>;
  /**
   * Delivers a notification to the status webhook again, once per key. `unknown`: the account has none
   * of this id.
   */
  replayNotification: (
    accountId: string,
    eventId: string,
    idempotencyKey: string | undefined,
  ) => Promise<'replayed' | 'repeated' | 'key_reused' | 'unknown'>;
  /** `whpk_` and the key that verifies the `v1a` signatures of the service, in base64. */
  webhookPublicKey: () => string;
};

/** What the operations on accounts are built from. */
export type AccountContext = Pick<
  WriteContext,
  | 'recovery'
  | 'accounts'
  | 'clock'
  | 'indexOf'
  | 'waitFor'
  | 'keysChanged'
  | 'newSecret'
  | 'assertCallable'
>;

/** What the operations on webhooks are built from. */
export type WebhookContext = Pick<
  WriteContext,
  | 'handler'
  | 'limits'
  | 'readLetter'
  | 'newSecret'
  | 'assertCallable'
  | 'replayNotification'
  | 'webhookPublicKey'
>;

/** What the operations on letters are built from. */
export type LetterContext = Pick<
  WriteContext,
  | 'handler'
  | 'letters'
  | 'quotes'
  | 'clock'
  | 'limits'
  | 'indexOf'
  | 'settle'
  | 'forget'
  | 'readLetter'
  | 'waitFor'
>;

/** The operation's name, with a request for it. */
type Asked = { name: string; request: OperationRequest };

const commandNamespace = 'c0a1e5ce-0000-5000-8000-636f6d6d616e';

const actorOf = (caller: Caller | undefined): string => {
  if (!caller) return 'anonymous';
  return caller.ucan ? caller.keyId : `key:${caller.keyId}`;
};

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
    actor: actorOf(caller),
  };
};

/**
 * The same where the answer holds a secret: the bearer of a UCAN must not be answered with what a key of
 * the account, or another token, was answered under the same Idempotency-Key.
 */
export const commandOfCredential = (asked: Asked): CommandContext => {
  const { commandId, actor } = commandOf(asked);
  const { ucan } = asked.request.caller ?? {};
  return { commandId: ucan ? uuidv5(commandId, ucan.cid) : commandId, actor };
};

/**
 * Keyed digest of what was asked, to tell a repetition from another request under the same key. A
 * request without a key is like no other.
 */
export const requestHashOf = (
  context: Pick<WriteContext, 'indexOf'>,
  { name, request }: Asked,
): string =>
  request.idempotencyKey === undefined
    ? randomUUID()
    : context.indexOf('request', requestFingerprint(name, request.body, request.params));

export const sendContextOf = (
  context: Pick<WriteContext, 'indexOf' | 'handler' | 'clock'>,
  command: CommandContext,
  asked: Asked & { request: { caller: Caller } },
): SendContext => ({
  ...command,
  accountId: asked.request.caller.accountId,
  test: asked.request.caller.test,
  requestHash: requestHashOf(context, asked),
  repeatable: asked.request.idempotencyKey !== undefined,
  permission: createLetterPermission(context, asked.request.caller),
});

/** The header that tells a caller that reads may still show the state before. */
export const freshness = (caughtUp: boolean): Record<string, string> =>
  caughtUp ? {} : { 'X-Read-Model': 'catching-up' };
