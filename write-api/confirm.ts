/** Links of mails that ask whether an address is right, and of those that stop mails. */
import Type from 'typebox';
import { type Account, type ApiKey, accountAggregate } from '../commands/accounts/account.ts';
import {
  addressOf,
  confirmEmail,
  type EmailGrant,
  type EmailTokens,
  isAddressConfirmed,
  unsubscribeEmail,
} from '../commands/accounts/confirmation.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import type { NewDid } from '../commands/accounts/recovery.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { type Clock, toTimestamp } from '../contract/clock.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Confirmation, presentConfirmation, Unsubscribed } from '../presenters/confirmation.ts';

export type ConfirmPorts = {
  handler: CommandHandler;
  emailTokens: EmailTokens;
  /** Keyed digest of an address. */
  digestOfEmail: (email: string) => string;
  newDid: () => NewDid;
  lastUsed: (keyIds: string[]) => Promise<Map<string, Date>>;
  /** Makes what may be done with keys hold at once. */
  keysChanged: () => void;
  clock: Clock;
};

const Token = Type.String({ minLength: 1, maxLength: 250, description: 'As the link has it.' });
const KeyIds = (description: string) =>
  Type.Array(Type.String({ maxLength: 64, 'x-max-bytes': 66 }), {
    maxItems: 100,
    uniqueItems: true,
    description,
  });
const closed = { additionalProperties: false };

const other = (): AppError =>
  new AppError(
    'confirmation_invalid',
    'The link is for an address that the account has no more; set the address again for a new link.',
  );

/** What a link is about. @throws AppError confirmation_invalid, confirmation_expired */
const opened = async (
  ports: ConfirmPorts,
  token: string,
): Promise<{ grant: EmailGrant; email: string; account: Account }> => {
  const grant = ports.emailTokens.read(token, 'confirm');
  if (grant.expiresAtMs <= ports.clock()) {
    throw new AppError(
      'confirmation_expired',
      'The link is older than seven days; register the address again, or set it again, for a new one.',
    );
  }
  const { state: account } = await ports.handler.load(accountAggregate, grant.accountId);
  const email = addressOf(account, grant.address);
  if (email === undefined || ports.digestOfEmail(email) !== grant.digest) throw other();
  return { grant, email, account };
};

const present = async (
  ports: ConfirmPorts,
  { grant, email }: { grant: EmailGrant; email: string },
  account: Account,
) => {
  // Who confirms an address for notifications need not be who owns the account.
  const own = grant.address === 'registered';
  const keys: ApiKey[] = own ? activeKeys(account, toTimestamp(ports.clock())) : [];
  const lastUsed = await ports.lastUsed(keys.map(({ keyId }) => keyId));
  const { accountId, test } = account;
  return presentConfirmation({
    ...{ accountId, test, email, address: grant.address },
    confirmed: isAddressConfirmed(account, grant.address),
    keys: keys.map((key) => ({ ...key, lastUsedAt: lastUsed.get(key.keyId) })),
    webhookUrl: own ? account.settings.webhookUrl : undefined,
    auditWebhooks: own ? [...account.subscriptions.values()].map(({ url }) => url) : [],
  });
};

const preview = (ports: ConfirmPorts): AnyOperation =>
  operation({
    name: 'preview_confirmation',
    method: 'POST',
    path: '/auth/confirm/preview',
    tag: 'Keys',
    summary: 'What a confirmation link is about',
    description: 'Changes nothing: shows the address and the keys that the account has.',
    access: 'public',
    input: {
      body: Type.Object({ token: Token }, { ...closed, title: 'PreviewConfirmation' }),
    },
    responses: { 200: { description: 'Address and keys', schema: Confirmation } },
    errors: ['confirmation_invalid', 'confirmation_expired'],
    async handle({ body }) {
      const link = await opened(ports, body.token);
      return { body: await present(ports, link, link.account) };
    },
  });

const confirm = (ports: ConfirmPorts): AnyOperation =>
  operation({
    name: 'confirm_email',
    method: 'POST',
    path: '/auth/confirm',
    tag: 'Keys',
    summary: 'Confirm an e-mail address with the link that it got',
    description:
      'With the first confirmation of a live account, keys of before may read and nothing else, but for those in `keep`; those in `end` are revoked. The link is good for seven days, also to keep or end more keys later.',
    access: 'public',
    showsIn: ['accounts'],
    input: {
      body: Type.Object(
        {
          token: Token,
          keep: Type.Optional(KeyIds('Keys that are yours and may go on spending.')),
          end: Type.Optional(KeyIds('Keys that are refused from now on.')),
          reset_settings: Type.Optional(
            Type.Boolean({
              description:
                'Removes webhook, notification address, audit webhooks and a DID of its own.',
            }),
          ),
        },
        { ...closed, title: 'ConfirmEmail' },
      ),
    },
    responses: { 200: { description: 'The address and its keys after it', schema: Confirmation } },
    errors: ['confirmation_invalid', 'confirmation_expired', 'key_not_found', 'conflict'],
    async handle({ body, command }) {
      const link = await opened(ports, body.token);
      const { address, accountId } = link.grant;
      const choice = { keep: body.keep ?? [], end: body.end ?? [] };
      const resetTo = body.reset_settings ? ports.newDid() : undefined;
      const at = toTimestamp(ports.clock());
      const wanted = { address, email: link.email, by: 'link' as const, ...choice, resetTo, at };
      const { state, position } = await ports.handler.handle(
        accountAggregate,
        accountId,
        command,
        (account) => confirmEmail(account, { type: 'ConfirmEmail', ...wanted }),
      );
      ports.keysChanged();
      return { body: await present(ports, link, state), position };
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
      'With the link of the mail; what the List-Unsubscribe header of our mails leads to (RFC 8058). A body is not read.',
    access: 'public',
    input: { query: Type.Object({ token: Token }, closed) },
    responses: { 200: { description: 'No more mails from this account', schema: Unsubscribed } },
    errors: ['confirmation_invalid', 'conflict'],
    showsIn: ['accounts'],
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
      const message = 'This account sends no more mails to the address.';
      return { body: { unsubscribed: true as const, message }, position };
    },
  });

export const confirmOperations = (ports: ConfirmPorts): AnyOperation[] => [
  preview(ports),
  confirm(ports),
  unsubscribe(ports),
];
