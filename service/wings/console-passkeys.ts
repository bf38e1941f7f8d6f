/** Passkeys of the console, and the key behind each of them. */
import { randomUUID } from 'node:crypto';
import { hashOfKey, keyIdOf } from '../../commands/accounts/api-key.ts';
import { keyIdsOf } from '../../commands/guards/credential-line.ts';
import { isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { commandMaker } from '../../http/command-of.ts';
import { type BegunPasskeys, createBegunPasskeys } from '../../infra/sessions/begun-passkeys.ts';
import { createPasskeys, type Passkeys } from '../../infra/sessions/passkeys.ts';
import type { Passkeys as PagePasskeys } from '../../pages/console/passkeys/passkey-ports.ts';
import type { Site } from '../foundation/wing.ts';
import { keepLimitsOf } from './policies.ts';

const tidyEveryMs = 10 * 60_000;

type PasskeyPorts = {
  passkeys: Passkeys;
  begun: BegunPasskeys;
  /** The id of the key that a request of a caller makes. */
  keyOf(caller: Caller, idempotencyKey: string): string;
  confirm(sessionId: string, keyId: string): Promise<void>;
};

/** Passkeys as pages use them. */
const passkeysPort = ({ passkeys, begun, keyOf, confirm }: PasskeyPorts): PagePasskeys => ({
  asks: passkeys.asks,
  ask: passkeys.ask,
  askToRegister: passkeys.askToRegister,
  async register(answered, { id: sessionId, caller }, makeKey, endKey) {
    const { accountId } = caller;
    const credential = await passkeys.registered(answered, { sessionId, accountId });
    if (!credential) return false;
    const idempotencyKey = randomUUID();
    const keyId = keyOf(caller, idempotencyKey);
    await begun.begin({ accountId, keyId });
    // If this fails, the key may still have been made. A chore ends it later.
    const { id, api_key: secret } = await makeKey(idempotencyKey);
    let isKept = false;
    try {
      const key = { accountId, keyId: id, keyHash: hashOfKey(secret) };
      isKept = await passkeys.keep(credential, key);
    } finally {
      if (!isKept) await endKey(id);
    }
    return isKept;
  },
  async confirm(answered, session) {
    const known = await passkeys.recognise(answered, session);
    if (known) await confirm(session.id, known.keyId);
    return known?.keyId;
  },
});

const passkeysOf = (site: Site, key: RotatingKey): Passkeys | undefined => {
  const { storage, clock, baseUrl, config, authority } = site;
  const { lines } = authority;
  return createPasskeys({
    db: storage.readDb,
    clock,
    key,
    baseUrl,
    name: config.serviceName.name,
    hasEnded: authority.check.hasEnded,
    frozenSubject: authority.frozen.subjectOf,
    async lineOf(credential) {
      const [{ accountId }, ids] = [credential, keyIdsOf(credential)];
      return lines.known(accountId, ids) ?? (await lines.load(accountId, ids));
    },
    isLimited: keepLimitsOf(site).isLimited,
  });
};

/** The id of the key that the console makes for a request. */
const newKeyOf = ({ keys }: Site): PasskeyPorts['keyOf'] => {
  const operation = { name: 'create_key', answersSecret: true } as const;
  const commandOf = commandMaker(operation, (text) => keys.indexOf('request', text));
  return (caller, idempotencyKey) => {
    const asked = { caller, address: '', body: undefined, params: undefined, idempotencyKey };
    return keyIdOf(commandOf(asked).commandId);
  };
};

/** Ends a key that nobody can use: its secret is unknown and its passkey was not stored. */
const endUnusedKey =
  ({ commands }: Site) =>
  async (accountId: string, keyId: string): Promise<void> => {
    const context = { commandId: randomUUID(), actor: 'reactor:passkeys' };
    try {
      await commands.accounts.revokeKey(accountId, keyId, { withIssued: false }, context);
    } catch (error) {
      const code = isAppError(error) ? error.code : undefined;
      // The key was never made, or the account has no other full key.
      if (code !== 'key_not_found' && code !== 'last_full_key') throw error;
    }
  };

/** Undefined where browsers take no passkeys. */
export const openPasskeys = (site: Site, key: RotatingKey) => {
  const passkeys = passkeysOf(site, key);
  if (!passkeys) return undefined;
  const begun = createBegunPasskeys({ db: site.storage.readDb, clock: site.clock });
  return {
    recognise: passkeys.recognise,
    forPages: (confirm: PasskeyPorts['confirm']): PagePasskeys =>
      passkeysPort({ passkeys, begun, keyOf: newKeyOf(site), confirm }),
    chores: [
      {
        what: 'removing challenges of passkeys that expired',
        everyMs: tidyEveryMs,
        work: passkeys.tidy,
      },
      {
        what: 'ending keys whose passkey was not kept',
        everyMs: tidyEveryMs,
        work: () => begun.endLeft(endUnusedKey(site)),
      },
    ],
  };
};
