import { keyPurposes } from '../commands/identity/service-identity.ts';
import type { KeyPurpose, ServiceIdentity } from '../events/service-identity.ts';
import { toTimestamp } from '../ground/clock.ts';
import type { CredentialStore } from '../infra/identity/credential-store.ts';
import { type CommandWork, count, type Print, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { instantIn } from './instant.ts';

const showKeys = ({ did, keys }: ServiceIdentity, print: Print): void => {
  print(`DID: ${did}`);
  for (const { keyId, purpose, state, validFrom, validUntil, trustedLogSize } of keys) {
    const until = validUntil === undefined ? '' : ` until ${validUntil}`;
    const trusted = trustedLogSize === undefined ? '' : `, trusted below leaf ${trustedLogSize}`;
    print(`  ${purpose} ${keyId}: ${state}, from ${validFrom}${until}${trusted}`);
  }
};

/** @throws UsageError */
const listKeys = (positionals: string[]): CommandWork => {
  if (positionals.length > 0) throw new UsageError('keys takes no arguments');
  return async ({ keys: { serviceKeys } }, print) => {
    showKeys(serviceKeys.identity(), print);
  };
};

const purposeOf = (text: string): KeyPurpose => {
  const purpose = keyPurposes.find((one) => one === text);
  if (!purpose) throw new UsageError(`PURPOSE ${text} is not one of ${keyPurposes.join(', ')}`);
  return purpose;
};

/** @throws UsageError */
const rotateKey = ([purpose, ...rest]: string[]): CommandWork => {
  if (rest.length > 0) throw new UsageError('rotate-key takes one PURPOSE or none');
  const purposes = purpose === undefined ? keyPurposes : [purposeOf(purpose)];
  return async ({ keys: { serviceKeys } }, print) => {
    showKeys(await serviceKeys.rotate(purposes), print);
    print(`Rotated: ${purposes.join(', ')}. Signatures of the old keys stay valid.`);
  };
};

type RevokeOptions = { 'trusted-log-size'?: string; 'compromised-at'?: string };

const parseSize = (text: string): number => {
  const size = Number(text);
  if (!/^\d{1,15}$/.test(text)) {
    throw new UsageError(`--trusted-log-size ${text} must be a whole number of leaves`);
  }
  return size;
};

const parseInstant = (text: string): string => {
  const ms = instantIn(text);
  if (Number.isNaN(ms)) {
    throw new UsageError(
      `--compromised-at ${text} must be an instant with a time zone, e.g. 2026-11-20T14:00:00Z`,
    );
  }
  return new Date(ms).toISOString();
};

/** Size of the last checkpoint that is kept of before the compromise: 0 when there is none. */
const sizeBefore = async (
  credentials: Pick<CredentialStore, 'checkpointAt'>,
  at: string,
): Promise<number> => (await credentials.checkpointAt(at))?.size ?? 0;

/** @throws UsageError */
const revokeKey = ([keyId, ...rest]: string[], options: RevokeOptions): CommandWork => {
  if (keyId === undefined || rest.length > 0) throw new UsageError('revoke-key takes KEY_ID');
  const { 'trusted-log-size': sizeText, 'compromised-at': atText } = options;
  if ((sizeText === undefined) === (atText === undefined)) {
    throw new UsageError(
      'revoke-key needs --compromised-at INSTANT or --trusted-log-size N: up to where signatures are still trusted',
    );
  }
  const size = sizeText === undefined ? undefined : parseSize(sizeText);
  const compromisedAt = atText === undefined ? undefined : parseInstant(atText);

  return async ({ clock, keys: { serviceKeys }, storage: { credentials } }, print) => {
    if (compromisedAt !== undefined && compromisedAt > toTimestamp(clock())) {
      throw new Refused(`--compromised-at ${atText} is in the future; nothing was changed`);
    }
    const key = serviceKeys.identity().keys.find((one) => one.keyId === keyId);
    if (!key)
      throw new Refused(`the service has no key ${keyId}; npm run operator -- keys lists them`);
    const largest = (await credentials.checkpoint())?.size ?? 0;
    if (size !== undefined && size > largest) {
      throw new Refused(`the log has ${count(largest)} leaves; --trusted-log-size ${size} is more`);
    }
    const trusted = size ?? (await sizeBefore(credentials, compromisedAt ?? ''));
    const identity = await serviceKeys.revoke(keyId, trusted);
    showKeys(identity, print);
    const now = identity.keys.find((one) => one.keyId === keyId)?.trustedLogSize;
    print(`Revoked ${keyId}. Its signatures count only below leaf ${now} of the log.`);
  };
};

export const keysCommand = defineCommand({
  name: 'keys',
  usage: '',
  summary: "Lists the service's DID and keys.",
  read: listKeys,
});

export const rotateKeyCommand = defineCommand({
  name: 'rotate-key',
  usage: '[PURPOSE]',
  summary: 'Replaces the active key of a purpose, or of all. Old signatures stay valid.',
  help: `PURPOSE: ${keyPurposes.join(', ')}.`,
  examples: ['rotate-key credential'],
  read: rotateKey,
});

export const revokeKeyCommand = defineCommand({
  name: 'revoke-key',
  usage: 'KEY_ID --compromised-at INSTANT | --trusted-log-size N',
  summary: 'Ends the trust in a key that other people may have.',
  help: 'Signatures of the key count only below that size of the log. With INSTANT, the size is that of the last checkpoint kept before it.',
  options: { 'trusted-log-size': 'text', 'compromised-at': 'text' },
  read: revokeKey,
});
