import { randomUUID } from 'node:crypto';
import type { AnyOperation, Caller, RequestCommand } from '../contract/operation.ts';
import { requestFingerprint } from '../ground/fingerprint.ts';
import { uuidv5 } from '../ground/uuid.ts';
import type { RequestState } from './rule.ts';

const commandNamespace = 'c0a1e5ce-0000-5000-8000-636f6d6d616e';

const actorOf = (caller: Caller | undefined): string => {
  if (!caller) return 'anonymous';
  return caller.ucan ? caller.keyId : `key:${caller.keyId}`;
};

type Asked = Pick<
  RequestState,
  'caller' | 'address' | 'body' | 'params' | 'idempotencyKey' | 'fingerprints'
>;

/**
 * Gives each request of an operation its command. Without a caller an `Idempotency-Key` counts per
 * address. Ids are derived the same way for ever: a request may be repeated after an upgrade. The exceptions are
 * answers with a secret to a key that does not expire: their ids were derived from the account in earlier versions.
 * @param digest keyed, so that nothing is learnt of a request from what is stored of it
 */
export const commandMaker = (
  {
    name,
    countsAs = name,
    answersSecret,
    replacedKey,
  }: Pick<AnyOperation, 'name' | 'countsAs' | 'answersSecret' | 'replacedKey'>,
  digest: (text: string) => string,
): ((asked: Asked) => RequestCommand) => {
  const idOf = ({ caller, address }: Asked, key: string): string => {
    const who = caller?.accountId ?? `address ${address}`;
    const id = uuidv5(commandNamespace, `${who}\n${countsAs}\n${key}`);
    // The key id of a wallet changes with each payment and sign-in, so all of them share one id. No key has that id.
    if (!answersSecret || !caller || caller.wallet) return id;
    // A rotation refuses all but the callers that may get its new key: see `rotate_key`.
    if (replacedKey && !caller.ucan && !caller.bounds) return id;
    return uuidv5(id, caller.ucan?.cid ?? caller.keyId);
  };

  return (asked) => {
    const { caller, body, params, idempotencyKey, fingerprints } = asked;
    const actor = actorOf(caller);
    if (idempotencyKey === undefined) {
      const commandId = randomUUID();
      return { commandId, actor, requestHash: commandId, repeatable: false };
    }
    const fingerprint = fingerprints?.command ?? requestFingerprint(countsAs, body, params);
    const requestHash = digest(fingerprint);
    return { commandId: idOf(asked, idempotencyKey), actor, requestHash, repeatable: true };
  };
};
