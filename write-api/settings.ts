import type { Static } from 'typebox';
import type { AccountService } from '../commands/accounts/account-service.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { Type } from '../ground/type.ts';
import { languages } from '../postal/stationery.ts';
import { presentSettings, Settings } from '../presenters/account.ts';
import { Nullable, OneOf } from '../presenters/common.ts';
import type { Recovery } from './recovery.ts';

/**
 * Judges an address that is to be called later: its form, and where its host leads to now.
 * @throws AppError url_not_allowed, which names the field
 */
export type AssertCallable = (url: string, pointer: string) => Promise<void>;

export type SettingsPorts = {
  accounts: Pick<AccountService, 'changeSettings'>;
  assertCallable: AssertCallable;
  newSecret: () => string;
  recovery: Pick<Recovery, 'mailConfigured'>;
  clock: Clock;
  keepLimits: Pick<KeepLimits, 'assertUnlimited'>;
};

/** How long the previous secret still signs, together with the new one. */
const bothSecretsMs = dayMs;

const UpdateSettings = Type.Object(
  {
    webhook_url: Type.Optional(
      Nullable(
        Type.String({
          format: 'uri',
          pattern: '^https?://',
          maxLength: 2048,
          description: 'An address that begins with https://.',
          examples: ['https://example.com/letters'],
        }),
      ),
    ),
    notification_email: Type.Optional(Nullable(Type.String({ format: 'email', maxLength: 254 }))),
    language: Type.Optional(OneOf(languages, 'Language of the mails about the account.')),
    rotate_webhook_secret: Type.Optional(
      Type.Boolean({ description: 'Gives the webhook a new secret.' }),
    ),
  },
  { additionalProperties: false, minProperties: 1, title: 'UpdateSettings' },
);

/** Future notifications would outlive the caller: an expiring credential may only remove them. */
const assertMayLast = (caller: Caller, body: Static<typeof UpdateSettings>): void => {
  const sets = body.webhook_url || body.notification_email || body.rotate_webhook_secret;
  if (caller.bounds === undefined || !sets) return;
  throw new AppError(
    'scope_insufficient',
    'A webhook and a notification address outlive a UCAN and an expiring key. Set them with a key that does not expire.',
  );
};

/** Whether the owner could miss alerts, or get them under a secret that it does not know. */
const changesAlerts = (body: Static<typeof UpdateSettings>): boolean =>
  body.notification_email !== undefined ||
  body.webhook_url !== undefined ||
  body.rotate_webhook_secret === true;

export const settingsOperation = (ports: SettingsPorts): AnyOperation =>
  operation({
    name: 'update_settings',
    method: 'PUT',
    path: '/api/settings',
    tag: 'Settings',
    summary: 'Set webhook URL, notification e-mail and language of mails',
    description:
      'Set any of them; null removes one. A new notification address first gets a mail that asks to confirm it, and no other mails until then. It can change five times in 24 hours. The answer to a new webhook contains its signing secret, once. `rotate_webhook_secret` makes a new secret; both sign for 24 hours.',
    access: 'full',
    permit: { about: 'settings' },
    idempotent: true,
    answersSecret: true,
    withoutSecret: 'Set rotate_webhook_secret under a new Idempotency-Key to get a new secret.',
    input: { body: UpdateSettings },
    responses: { 200: { description: 'The settings after the change', schema: Settings } },
    errors: [
      'account_not_found',
      'url_not_allowed',
      'webhook_not_set',
      'quota_exceeded',
      'policy_protected',
      'conflict',
    ],
    async handle({ body, caller, command }) {
      assertMayLast(caller, body);
      if (changesAlerts(body)) {
        await ports.keepLimits.assertUnlimited(caller, 'change who is notified');
      }
      if (body.webhook_url) await ports.assertCallable(body.webhook_url, '/webhook_url');
      const change = {
        webhookUrl: body.webhook_url,
        notificationEmail: body.notification_email,
        language: body.language,
        rotateSecret: body.rotate_webhook_secret,
        madeBy: caller.keyId,
        newSecret: ports.newSecret(),
        previousSecretUntil: toTimestamp(ports.clock() + bothSecretsMs),
      };
      const changed = await ports.accounts.changeSettings(caller.accountId, change, command);
      const { settings, language, emailConfirmed, newSecret, position, replayed, at } = changed;
      const shown = newSecret ? settings.webhookSecret : undefined;
      return {
        body: presentSettings(settings, {
          newSecret: shown,
          language,
          ...(ports.recovery.mailConfigured ? { emailConfirmed } : {}),
        }),
        position,
        replayed,
        ...(newSecret && at !== undefined ? { answeredAt: at } : {}),
      };
    },
  });
