import { createHmac, hash, randomBytes } from 'node:crypto';
import { boundToMaker, lastMomentOf, type Maker } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import type { Scope } from '../../contract/scopes.ts';
import { repeatedForMs } from '../../contract/secret-answers.ts';
import type { DataKey } from '../../events/data-keys.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { toBase64Url } from '../../identity/encoding.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import type { Limits } from '../../limits/table.ts';
import type { Micro } from '../../money/amounts.ts';
import type { Bucket } from '../../money/buckets.ts';
import type { Language } from '../../postal/stationery.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { creditFunds, openWallet, walletAggregate } from '../wallets/wallet.ts';
import { type Account, accountAggregate } from './account.ts';
import { isNotificationEmailConfirmed } from './confirmation.ts';
import { AddressTaken } from './email-change.ts';
import { createEmailChanges } from './email-changes.ts';
import { createFindAddress } from './find-address.ts';
import { createKey, revokeKey, rotateKey } from './keys.ts';
import { type RecoveryGrant, recoverAccount } from './recovery.ts';
import { registerAccount } from './registration.ts';
import { changeSettings } from './settings.ts';
import type { NewDid } from './settings-before-proof.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const toBase62 = (bytes: Buffer, length: number): string => {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < length; digit++) {
    text = (base62[Number(rest % 62n)] ?? '') + text;
    rest /= 62n;
  }
  return text;
};

const checksumLength = 6;
const secretLength = 43;

const checksum = (body: string): string =>
  toBase62(hash('sha256', body, 'buffer').subarray(0, 8), checksumLength);

const keyPattern = /^svc_(?:live|test)_[0-9A-Za-z]{49}$/;

/** Whether a text has the form and the checksum of a key: what does not is refused without a lookup. */
export const isWellFormedKey = (secret: string): boolean =>
  keyPattern.test(secret) &&
  checksum(secret.slice(0, -checksumLength)) === secret.slice(-checksumLength);

export const hashOfKey = (secret: string): string => hash('sha256', secret, 'base64url');

export type KeyMaker = (
  commandId: string,
  test: boolean,
) => { keyId: string; secret: string; secretHash: string; prefix: string };

/**
 * Makes API keys: `svc_live_` or `svc_test_`, 32 bytes in base62, 6 characters of checksum. The bytes
 * are a keyed digest of the command's id, so that a repeated request is answered with the same key
 * although only its hash is stored.
 */
export const createKeyMaker = (derivationKey: DataKey): KeyMaker => {
  return (commandId, test) => {
    const bytes = createHmac('sha256', derivationKey).update(commandId).digest();
    const body = `svc_${test ? 'test' : 'live'}_${toBase62(bytes, secretLength)}`;
    const secret = `${body}${checksum(body)}`;
    const keyId = `key_${uuidv5(commandId, 'key').replaceAll('-', '')}`;
    return { keyId, secret, secretHash: hashOfKey(secret), prefix: secret.slice(0, 13) };
  };
};

export type AccountPorts = {
  handler: CommandHandler;
  clock: Clock;
  limits: Limits;
  makeKey: KeyMaker;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
};

export type IssuedKey = {
  accountId: string;
  keyId: string;
  /** Shown once. */
  secret: string;
  prefix: string;
  label: string;
  scope: Scope;
  createdAt: string;
  expiresAt: string | undefined;
  test: boolean;
  position: bigint;
  replayed: boolean;
};

const earlier = (text: string | undefined, latestMs: number): string | undefined => {
  const ms = Math.min(text === undefined ? latestMs : Date.parse(text), latestMs);
  return Number.isFinite(ms) ? new Date(ms).toISOString() : undefined;
};

/** Id of the receipt of a credit by an operator: one for each reference. */
export const creditReceiptId = (
  indexOf: AccountPorts['indexOf'],
  accountId: string,
  reference: string,
): string => `operator-${indexOf('credit', `${accountId}\n${reference}`)}`;

/** Money that a test account begins with: $100.00. */
const testGrantMicro = 100_000_000n;

export const newDid = (): NewDid => {
  const seed = randomBytes(32);
  return { did: ed25519FromSeed(seed).did, seed: toBase64Url(seed) };
};

const reused = (): AppError =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key belongs to another request. Use a new key for a new request.',
  );

export type AccountService = ReturnType<typeof createAccountService>;

export const createAccountService = (ports: AccountPorts) => {
  const { handler, limits, makeKey, indexOf } = ports;

  /** One account per name and mode, so that the stream itself decides who was first. */
  const accountIdOf = (kind: string, name: string, test: boolean): string => {
    const digest = indexOf('account', `${kind}\n${test ? 'test' : 'live'}\n${name.toLowerCase()}`);
    return `acct_${toBase62(Buffer.from(digest, 'base64url'), 22)}`;
  };

  const findAddress = createFindAddress({
    handler,
    clock: ports.clock,
    addressIdOf: (email, test, generation) =>
      accountIdOf('email', generation === 0 ? email : `${email}\n${generation}`, test),
  });

  /** Where an account of a name is, or would begin. @throws AppError email_registered */
  const placeOf = async (
    kind: 'email' | 'agent',
    name: string,
    test: boolean,
  ): Promise<{ accountId: string; replaces?: string | undefined }> => {
    if (kind === 'agent') return { accountId: accountIdOf(kind, name, test) };
    const found = await findAddress(name, test);
    if (found.kind === 'free') return { accountId: found.addressId, replaces: found.replaces };
    if (found.kind === 'account') return { accountId: found.accountId };
    throw new AppError(
      'email_registered',
      'An account had this e-mail address until a few days ago, or is about to get it. Register it again in eight days, or use another address.',
    );
  };

  /** The result, derived from the state: the same whether it was made now or before. */
  const issued = (
    state: Account,
    key: { keyId: string; secret: string },
    requestHash: string,
    outcome: { position: bigint; events: unknown[] },
  ): IssuedKey => {
    const made = state.keys.get(key.keyId);
    if (!made || made.requestHash !== requestHash) throw reused();
    return {
      accountId: state.accountId,
      keyId: key.keyId,
      secret: key.secret,
      prefix: made.prefix,
      label: made.label,
      scope: made.scope,
      createdAt: made.createdAt,
      expiresAt: made.expiresAt,
      test: state.test,
      position: outcome.position,
      replayed: outcome.events.length === 0,
    };
  };

  return {
    /**
     * Registers an account with its first key and opens its wallet.
     * @throws AppError email_registered, agent_registered, registration_closed, idempotency_key_reused
     */
    async register(
      request: {
        kind: 'email' | 'agent';
        name: string;
        displayName?: string;
        scope: Scope;
        test: boolean;
        requestHash: string;
        /** Of its mails; absent: English. */
        language?: Language | undefined;
        /** The service takes no new accounts. */
        closed?: boolean;
      },
      context: CommandContext,
    ): Promise<IssuedKey> {
      const { kind, name, displayName, scope, test, requestHash, language, closed } = request;
      const { accountId, replaces } = await placeOf(kind, name, test);
      // The account is part of what makes the key: no two accounts ever get the same one.
      const { secret, ...key } = makeKey(uuidv5(context.commandId, accountId), test);
      const command = {
        type: 'RegisterAccount' as const,
        accountId,
        kind,
        test,
        name,
        displayName,
        requestHash,
        language,
        closed,
        replaces,
        key: { ...key, label: 'registration', scope },
      };
      const once = { ...context, oneStream: true };
      const outcome = await handler
        .handle(accountAggregate, accountId, once, (account) => registerAccount(account, command))
        .catch((error: unknown) => {
          if (!(error instanceof AddressTaken)) throw error;
          throw new AppError(
            'conflict',
            'The e-mail address changed its account at the same time; try again.',
            { cause: error },
          );
        });
      const result = issued(outcome.state, { keyId: key.keyId, secret }, requestHash, outcome);
      // Repeated on a replay: a crash may have come between account and wallet.
      const position = await this.openWallet(accountId, test, context);
      return { ...result, position: position > result.position ? position : result.position };
    },

    /** Opens the wallet, with money to play with for a test account. Safe to repeat. */
    async openWallet(accountId: string, test: boolean, context: CommandContext): Promise<bigint> {
      const { position } = await handler.handle(walletAggregate, accountId, context, (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId, test }),
        ...(test
          ? creditFunds(wallet, {
              type: 'CreditFunds',
              receipt: { method: 'test_grant', id: 'test-grant' },
              bucket: 'fiat',
              amountMicro: testGrantMicro,
            })
          : []),
      ]);
      return position;
    },

    /** The account of a name, whether it exists or not. Of an address: `placeOf` and `findAddress`. */
    accountIdOf,
    placeOf,
    findAddress,
    emailChanges: createEmailChanges({ handler, findAddress, clock: ports.clock }),

    /**
     * A new full key for the holder of a recovery link; the old ones end, except those in `keep`.
     * @throws AppError recovery_token_invalid, recovery_token_expired, recovery_token_used, key_not_found,
     * idempotency_key_reused
     */
    async recover(
      grant: RecoveryGrant,
      wanted: { keep: 'all' | string[]; resetSettings: boolean | undefined; requestHash: string },
      context: CommandContext,
    ): Promise<IssuedKey & { account: Account }> {
      const { requestHash, ...choice } = wanted;
      const { accountId } = grant;
      const { test } = (await handler.load(accountAggregate, accountId)).state;
      const { secret, ...key } = makeKey(uuidv5(context.commandId, accountId), test);
      const command = {
        type: 'RecoverAccount' as const,
        key: { ...key, label: 'recovery', scope: 'full' as const },
        grant,
        requestHash,
        nowMs: ports.clock(),
        did: newDid(),
        ...choice,
      };
      const once = { ...context, oneStream: true };
      const outcome = await handler.handle(accountAggregate, accountId, once, (account) =>
        recoverAccount(account, command),
      );
      const made = issued(outcome.state, { keyId: key.keyId, secret }, requestHash, outcome);
      return { ...made, account: outcome.state };
    },

    /** @throws AppError scope_insufficient, key_revoked, key_limit_reached, idempotency_key_reused */
    async createKey(
      accountId: string,
      request: {
        label: string;
        scope: Scope;
        expiresAt?: string;
        makerScope: Scope;
        /** A permanent key makes permanent keys; keys made with an expiring credential end with it. */
        maker: Maker;
        test: boolean;
        requestHash: string;
      },
      context: CommandContext,
    ): Promise<IssuedKey> {
      const { label, scope, makerScope, maker, requestHash } = request;
      const bounds = maker.bounds === undefined ? {} : { boundTo: boundToMaker(maker) };
      const expiresAt = earlier(request.expiresAt, lastMomentOf(maker));
      const { secret, ...key } = makeKey(context.commandId, request.test);
      const at = new Date(ports.clock()).toISOString();
      const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
        createKey(account, {
          type: 'CreateKey',
          key: { ...key, label, scope, expiresAt, madeBy: maker.keyId, ...bounds },
          makerScope,
          requestHash,
          maxKeys: limits.apiKeysPerAccount,
          at,
        }),
      );
      return issued(outcome.state, { keyId: key.keyId, secret }, requestHash, outcome);
    },

    /** @throws AppError key_not_found, last_full_key */
    async revokeKey(
      accountId: string,
      keyId: string,
      { withIssued, asking }: { withIssued: boolean; asking?: string },
      context: CommandContext,
    ): Promise<{ position: bigint; revokedAt: string; ended: string[] }> {
      const at = new Date(ports.clock()).toISOString();
      const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
        revokeKey(account, { type: 'RevokeKey', keyId, withIssued, asking, at }),
      );
      const ended = outcome.events.flatMap((event) =>
        event.type === 'KeyRevoked' && event.data.keyId !== keyId ? [event.data.keyId] : [],
      );
      return {
        position: outcome.position,
        revokedAt: outcome.state.keys.get(keyId)?.revokedAt ?? at,
        ended,
      };
    },

    /** @throws AppError key_not_found, key_revoked, scope_insufficient, idempotency_key_reused */
    async rotateKey(
      accountId: string,
      keyId: string,
      request: {
        maker: Maker;
        test: boolean;
        requestHash: string;
        /** The old key cannot even repeat the request. */
        now: boolean;
      },
      context: CommandContext,
    ): Promise<IssuedKey & { repeatableUntil: string | undefined }> {
      const { requestHash, maker, now } = request;
      const { secret, ...key } = makeKey(context.commandId, request.test);
      const at = new Date(ports.clock()).toISOString();
      const repeatableUntil = now ? undefined : toTimestamp(ports.clock() + repeatedForMs);
      const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
        rotateKey(account, {
          type: 'RotateKey',
          keyId,
          key: { ...key, label: '', scope: 'read' },
          requestHash,
          maker,
          repeatableUntil,
          at,
        }),
      );
      const made = issued(outcome.state, { keyId: key.keyId, secret }, requestHash, outcome);
      return { ...made, repeatableUntil: outcome.state.keys.get(keyId)?.repeatableUntil };
    },

    /** Returns the settings after the change, and the signing secret when a webhook is new. */
    async changeSettings(
      accountId: string,
      change: {
        webhookUrl?: string | null;
        notificationEmail?: string | null;
        language?: Language | undefined;
        rotateSecret?: boolean;
        newSecret: string;
        previousSecretUntil: string;
      },
      context: CommandContext,
    ) {
      const outcome = await handler.handle(accountAggregate, accountId, context, (account) =>
        changeSettings(account, {
          type: 'ChangeSettings',
          ...change,
          at: toTimestamp(ports.clock()),
        }),
      );
      const { settings } = outcome.state;
      return {
        settings,
        language: outcome.state.language,
        emailConfirmed: isNotificationEmailConfirmed(outcome.state),
        newSecret: settings.webhookSecret === change.newSecret,
        position: outcome.position,
      };
    },

    /** Money from outside, by an operator; once per reference. @throws AppError account_not_found */
    async credit(
      accountId: string,
      credit: { bucket: Bucket; amountMicro: Micro; reference: string },
      context: CommandContext,
    ): Promise<{ credited: boolean; position: bigint }> {
      const { state } = await handler.load(accountAggregate, accountId);
      if (state.status === 'none')
        throw new AppError('account_not_found', `There is no account ${accountId}.`);
      const id = creditReceiptId(indexOf, accountId, credit.reference);
      const receipt = { method: 'operator' as const, id };
      const outcome = await handler.handle(walletAggregate, accountId, context, (wallet) => [
        ...openWallet(wallet, { type: 'OpenWallet', accountId, test: state.test }),
        ...creditFunds(wallet, { type: 'CreditFunds', receipt, ...credit }),
      ]);
      return { credited: outcome.events.length > 0, position: outcome.position };
    },
  };
};
