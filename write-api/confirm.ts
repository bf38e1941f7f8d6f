/** Links of mails that ask whether an address is right, and of those that stop mails. */

import { type Account, type ApiKey, accountAggregate } from '../commands/accounts/account.ts';
import type { AccountService } from '../commands/accounts/account-service.ts';
import {
  addressOf,
  askerOf,
  askerStopped,
  type EmailGrant,
  type EmailTokens,
  isAddressConfirmed,
  unsubscribeEmail,
} from '../commands/accounts/confirmation.ts';
import type { EmailChanges } from '../commands/accounts/email-changes.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import type { NewDid } from '../commands/accounts/settings-before-proof.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation, type RequestCommand } from '../contract/operation.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import type { AccountLink } from '../presenters/audit-links.ts';
import {
  Confirmation,
  Confirmed,
  presentConfirmation,
  presentConfirmed,
  Unsubscribed,
} from '../presenters/confirmation.ts';
import type { Recovery } from './recovery.ts';

export type ConfirmPorts = {
  handler: CommandHandler;
  accounts: Pick<AccountService, 'confirmEmail' | 'settingsOf'>;
  emailTokens: EmailTokens;
  emailChanges: Pick<EmailChanges, 'confirm'>;
  /** Keyed digest of an address. */
  digestOfEmail: (email: string) => string;
  newDid: () => NewDid;
  lastUsed: (keyIds: string[]) => Promise<Map<string, Date>>;
  /** How many live UCANs of an account came from each of its keys, by key id. */
  countUcans: (accountId: string) => Promise<Map<string, number>>;
  /** The active audit links of an account by the keys that they end with, newest first. */
  auditLinksByKey: (accountId: string) => Promise<Map<string, AccountLink[]>>;
  recovery: Pick<Recovery, 'mailConfigured' | 'sendLink'>;
  /** Makes what changed of an account's keys at a log position hold at once. */
  keysChanged: (accountId: string, position: bigint) => void;
  clock: Clock;
  keepLimits: Pick<KeepLimits, 'mayStillAsk'>;
};

const Token = Type.String({ minLength: 1, maxLength: 250, description: 'The token in the link.' });
const Ids = (description: string) =>
  Type.Array(Type.String({ maxLength: 64, 'x-max-bytes': 66 }), {
    maxItems: 200,
    uniqueItems: true,
    description,
  });
const other = (): AppError =>
  new AppError(
    'confirmation_invalid',
    'The account no longer uses this address. Set the address again to get a new link.',
  );

/** The subject of a link. @throws AppError confirmation_invalid, confirmation_expired */
const opened = async (
  ports: ConfirmPorts,
  token: string,
): Promise<{ grant: EmailGrant; email: string; account: Account }> => {
  const grant = ports.emailTokens.read(token, 'confirm');
  if (grant.expiresAtMs <= ports.clock()) {
    throw new AppError(
      'confirmation_expired',
      'The link is older than seven days. Register the address again, or set it again, to get a new one.',
    );
  }
  const { state: account } = await ports.handler.load(accountAggregate, grant.accountId);
  const email = addressOf(account, grant.address);
  if (email === undefined || ports.digestOfEmail(email) !== grant.digest) throw other();
  return { grant, email, account };
};

const shownOf = async (
  ports: ConfirmPorts,
  { grant, email }: { grant: EmailGrant; email: string },
  account: Account,
) => {
  const { accountId, test } = account;
  // Somebody who confirms an address for notifications need not own the account.
  const own = grant.address === 'registered';
  const keys: ApiKey[] = own ? activeKeys(account, toTimestamp(ports.clock())) : [];
  const [settings, lastUsed, ucans, links] = await Promise.all([
    own ? ports.accounts.settingsOf(account) : [],
    ports.lastUsed(keys.map(({ keyId }) => keyId)),
    own ? ports.countUcans(accountId) : new Map<string, number>(),
    own ? ports.auditLinksByKey(accountId) : new Map<string, AccountLink[]>(),
  ]);
  return {
    accountId,
    test,
    email,
    address: grant.address,
    confirmed: isAddressConfirmed(account, grant.address),
    keys: keys.map((key) => ({
      ...key,
      lastUsedAt: lastUsed.get(key.keyId),
      ucans: ucans.get(key.keyId) ?? 0,
      auditLinks: links.get(key.keyId) ?? [],
    })),
    settings,
  };
};

/** An account without a full key gets a link for one, so that nobody is locked out by a confirmation. */
const unlock = async (
  { recovery, clock }: ConfirmPorts,
  account: Account,
  endedKeys: string[],
): Promise<'link-sent' | 'no-mail' | false> => {
  const left = activeKeys(account, toTimestamp(clock()));
  if (endedKeys.length === 0 || left.some(({ scope }) => scope === 'full')) return false;
  await recovery.sendLink(account.accountId);
  return recovery.mailConfigured ? 'link-sent' : 'no-mail';
};

const preview = (ports: ConfirmPorts): AnyOperation =>
  operation({
    name: 'preview_confirmation',
    method: 'POST',
    path: '/auth/confirm/preview',
    tag: 'Keys',
    summary: 'Show what a confirmation link confirms',
    description:
      'Shows the address, and the settings and keys of the account with their audit links. Changes nothing.',
    access: 'public',
    input: {
      body: Type.NamedExact('PreviewConfirmation', { token: Token }),
    },
    responses: { 200: { description: 'Address, keys and settings', schema: Confirmation } },
    errors: ['confirmation_invalid', 'confirmation_expired'],
    async handle({ body }) {
      const link = await opened(ports, body.token);
      return { body: presentConfirmation(await shownOf(ports, link, link.account)) };
    },
  });

/** Refuses the link if the key that asked has since been frozen or limited. @throws AppError */
const assertMayStillAsk = async (
  { keepLimits }: ConfirmPorts,
  { grant: { accountId, address }, account }: { grant: EmailGrant; account: Account },
): Promise<void> => {
  const asker = askerOf(account, address);
  if (asker === undefined || asker === 'operator') return;
  if (!(await keepLimits.mayStillAsk(accountId, asker))) throw askerStopped();
};

const endedKeysOf = ({ events }: Awaited<ReturnType<EmailChanges['confirm']>>): string[] =>
  events.flatMap(({ type, data }) => (type === 'KeyRevoked' ? [data.keyId] : []));

/** The address that the account asked for becomes its own. The settings and all keys except the one of the address stay. */
const confirmChange = async (
  ports: ConfirmPorts,
  link: { grant: EmailGrant; email: string },
  command: RequestCommand,
) => {
  const { accountId } = link.grant;
  const outcome = await ports.emailChanges.confirm(accountId, link.email, command);
  const { state, position } = outcome;
  ports.keysChanged(accountId, position);
  const ended = { keys: endedKeysOf(outcome), settings: [], locked: false as const };
  return { body: presentConfirmed(await shownOf(ports, link, state), ended), position };
};

const confirm = (ports: ConfirmPorts): AnyOperation =>
  operation({
    name: 'confirm_email',
    method: 'POST',
    path: '/auth/confirm',
    tag: 'Keys',
    summary: 'Confirm an e-mail address with the link sent to it',
    description:
      'Somebody else may have registered the address. The first confirmation therefore ends everything that was set before: keys with their UCANs and audit links, webhook, notification address, audit webhooks, the account’s own DID, the policy of the account, and the approvers that other policies name. `keep` lists what stays. If no full key stays, a recovery link goes to the address. Opening the link again changes nothing. The link expires after seven days, and a recovery ends it.',
    access: 'public',
    input: {
      body: Type.NamedExact('ConfirmEmail', {
        token: Token,
        keep: Type.Optional(
          Type.Union([Type.Literal('all'), Ids('Ids of keys and settings.')], {
            description:
              'Ids of the keys and settings that are yours and stay, as the preview shows them, or `all`. If absent, nothing stays.',
          }),
        ),
        end: Type.Optional(Ids('Keys and settings that end even if `keep` is `all`.')),
        reset_settings: Type.Optional(
          Type.Boolean({ description: 'Ends all settings, whatever `keep` says.' }),
        ),
      }),
    },
    responses: {
      200: { description: 'The address, and its keys after the confirmation', schema: Confirmed },
    },
    errors: [
      'confirmation_invalid',
      'confirmation_expired',
      'email_registered',
      'key_not_found',
      'conflict',
    ],
    async handle({ body, command }) {
      const link = await opened(ports, body.token);
      const { address, accountId } = link.grant;
      await assertMayStillAsk(ports, link);
      if (address === 'change') return confirmChange(ports, link, command);
      const choice = {
        keep: body.keep ?? [],
        end: body.end ?? [],
        resetSettings: body.reset_settings,
      };
      const at = toTimestamp(ports.clock());
      const by = 'link' as const;
      const wanted = { address, email: link.email, by, ...choice, did: ports.newDid(), at };
      const own = address === 'registered';
      const before = own ? await ports.accounts.settingsOf(link.account) : [];
      const outcome = await ports.accounts.confirmEmail(accountId, wanted, command);
      const { state, position } = outcome;
      ports.keysChanged(accountId, position);
      const keys = endedKeysOf(outcome);
      const shown = await shownOf(ports, link, state);
      const left = new Set(shown.settings.map(({ id }) => id));
      const settings = before.filter(({ id }) => !left.has(id));
      const ended = { keys, settings, locked: await unlock(ports, state, keys) };
      return { body: presentConfirmed(shown, ended), account: accountId, position };
    },
  });

const unsubscribe = (ports: ConfirmPorts): AnyOperation =>
  operation({
    name: 'unsubscribe',
    method: 'POST',
    path: '/unsubscribe',
    tag: 'Settings',
    summary: 'Stop the mails to an address',
    description:
      'Needs the token of the link in the mail. The List-Unsubscribe header of the mails points here (RFC 8058). A body is ignored.',
    access: 'public',
    ignoresBody: true,
    input: { query: Type.Exact({ token: Token }) },
    responses: {
      200: {
        description: 'The address gets no more mails from this account',
        schema: Unsubscribed,
      },
    },
    errors: ['confirmation_invalid', 'conflict'],
    async handle({ query, command }) {
      const { accountId, digest } = ports.emailTokens.read(query.token, 'unsubscribe');
      const at = toTimestamp(ports.clock());
      const { position } = await ports.handler.handle(
        accountAggregate,
        accountId,
        command,
        (account) => {
          const email = account.settings.notificationEmail;
          return email !== undefined && ports.digestOfEmail(email) === digest
            ? unsubscribeEmail(account, { type: 'UnsubscribeEmail', email, at })
            : [];
        },
      );
      const message = 'This account sends no mails to the address.';
      return { body: { unsubscribed: true as const, message }, account: accountId, position };
    },
  });

export const confirmOperations = (ports: ConfirmPorts): AnyOperation[] => [
  preview(ports),
  confirm(ports),
  unsubscribe(ports),
];
