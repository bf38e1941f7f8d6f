/**
 * Passkeys (WebAuthn): registered in a session, then a way to sign in and to confirm who is there. A passkey stands for
 * an API key whose secret nobody knows, so it is listed, frozen and revoked as a key.
 */
import type {
  AuthenticationResponseJSON,
  RegistrationResponseJSON,
  WebAuthnCredential,
} from '@simplewebauthn/server';
import type { Acting } from '../../commands/guards/credential-line.ts';
import type { BoundTo } from '../../contract/bounds.ts';
import { accountSubject, closureSubject } from '../../contract/frozen.ts';
import type { Caller } from '../../contract/operation.ts';
import type { Session } from '../../contract/portal.ts';
import { scopeCovers } from '../../contract/scopes.ts';
import type { CredentialLine } from '../../events/letter.ts';
import { openWithAny, seal } from '../../events/sealing.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { digestOfToken, type SourceColumns } from './session-source.ts';

/** The purpose of a challenge. A challenge for one purpose is refused for every other. */
type Purpose = 'register' | 'sign-in' | 'confirm';

/** The session of a registration or confirmation, and its account. */
type Asked = { purpose: Purpose; sessionId?: string; accountId?: string };

/** The challenge that the page gives the browser, and the ticket that the form sends back for the check. */
type Challenge = { options: object; ticket: string };

type Answered = { ticket: string; answer: string };

type PasskeyRow = {
  credential_id: string;
  account_id: string;
  key_id: string;
  key_hash: string;
  public_key: Buffer;
  counter: bigint;
  /** Whether the row of its key is there. The row of a new key may still be missing. */
  is_known: boolean;
  bound_to: BoundTo | null;
};

const challengeForMs = 10 * 60_000;
const mostPerAccount = 50;
const sealedAs = 'passkey challenge';

/** Loaded when somebody has to do with passkeys. */
const library = () => import('@simplewebauthn/server');

/** A session that is confirmed. */
type Confirmed = Pick<Session, 'id' | 'caller'>;

type Ports = {
  db: Db;
  clock: Clock;
  /** Seals challenges. */
  key: RotatingKey;
  baseUrl: string;
  /** How authenticators name the service. */
  name: string;
  /** Whether one of the keys and UCANs has ended. */
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
  /** The frozen subject that stops a key: first a credential that the key comes from, then the account. */
  frozenSubject: (key: Acting) => Promise<string | undefined>;
  lineOf: (credential: Acting) => Promise<CredentialLine>;
  /** Whether a credential, or one that it comes from, has a policy. */
  isLimited: (credential: Acting) => Promise<boolean>;
};

/** The host that passkeys are bound to; undefined where browsers allow none: a name is needed, no address. */
const hostFor = (baseUrl: string): string | undefined => {
  const { hostname } = new URL(baseUrl);
  return /^[\d.]+$|:/.test(hostname) ? undefined : hostname;
};

const parsed = <T>(answer: string): T | undefined => {
  try {
    return JSON.parse(answer) as T;
  } catch {
    return undefined;
  }
};

/** The library throws its findings. Callers only need to know whether an answer is right. */
const unlessRefused = async <T extends { verified: boolean }>(
  check: () => Promise<T>,
): Promise<T | undefined> => {
  try {
    const report = await check();
    return report.verified ? report : undefined;
  } catch {
    return undefined;
  }
};

const createChallenges = ({ db, clock, key }: Pick<Ports, 'db' | 'clock' | 'key'>) => ({
  ticketOf: (challenge: string, asked: Asked): string =>
    seal(
      JSON.stringify({ challenge, ...asked, untilMs: clock() + challengeForMs }),
      key()[0],
      sealedAs,
    ),

  /** The challenge of a ticket, once; undefined for another purpose, session or account, and when it expired. */
  async use(ticket: string, asked: Asked): Promise<string | undefined> {
    const opened = openWithAny(ticket, key, sealedAs);
    if (!opened) return undefined;
    const { challenge, untilMs, ...meant } = JSON.parse(opened.toString()) as Asked & {
      challenge: string;
      untilMs: number;
    };
    const isMeant =
      meant.purpose === asked.purpose &&
      meant.sessionId === asked.sessionId &&
      meant.accountId === asked.accountId;
    if (!isMeant || untilMs <= clock()) return undefined;
    const { rowCount } = await db.query(
      `insert into console.answered_challenges (digest, expires_at) values ($1, $2)
       on conflict do nothing`,
      [digestOfToken(challenge), new Date(untilMs)],
    );
    return rowCount === 1 ? challenge : undefined;
  },
});

/**
 * Reads passkeys that count. A passkey ends when its key does: revoked, expired, or with a key or UCAN that it is bound
 * to.
 */
const createLiveRows =
  ({ db, clock, hasEnded }: Pick<Ports, 'db' | 'clock' | 'hasEnded'>) =>
  async (column: 'account_id' | 'credential_id', value: string): Promise<PasskeyRow[]> => {
    const { rows } = await db.query<PasskeyRow>(
      `select p.credential_id, p.account_id, p.key_id, p.key_hash, p.public_key, p.counter,
         k.key_id is not null as is_known, k.bound_to
       from console.passkeys p left join read_models.api_keys k on k.key_id = p.key_id
       where p.${column} = $1 and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)
       order by p.created_at`,
      [value, new Date(clock())],
    );
    const ended = await Promise.all(
      rows.map(({ is_known, key_id, bound_to }) => {
        const { keys, ucans } = bound_to ?? { keys: [], ucans: [] };
        return is_known && hasEnded({ keys: [key_id, ...keys], ucans });
      }),
    );
    return rows.filter((_, index) => !ended[index]).slice(0, mostPerAccount);
  };

/** Whether the key of a passkey is frozen. The owner of a frozen account still confirms that it is unfrozen. */
const isKeyFrozen = async (
  { frozenSubject }: Pick<Ports, 'frozenSubject'>,
  row: PasskeyRow,
): Promise<boolean> => {
  const subject = await frozenSubject(keyOf(row));
  return subject !== undefined && subject !== accountSubject && subject !== closureSubject;
};

const keyOf = ({ account_id: accountId, key_id: keyId }: PasskeyRow): Acting => ({
  accountId,
  keyId,
});

/**
 * Reads the passkeys that confirm a session. Every passkey of the owner confirms a session of the owner. Any other session
 * is confirmed only by passkeys that come from its own key or UCAN, so nobody is asked for the passkey of another
 * person.
 */
const createConfirmingRows =
  ({ lineOf, isLimited }: Ports, liveRows: ReturnType<typeof createLiveRows>) =>
  async (caller: Caller): Promise<PasskeyRow[]> => {
    const rows = await liveRows('account_id', caller.accountId);
    if (rows.length === 0) return [];
    const [own = ''] = (await lineOf(caller)).own;
    const isOwner = scopeCovers(caller.scope, 'full') && !(await isLimited(caller));
    const confirms = await Promise.all(
      rows.map(async (row) => {
        if (isOwner) return !(await isLimited(keyOf(row)));
        const { line } = await lineOf(keyOf(row));
        return line.includes(own);
      }),
    );
    return rows.filter((_, index) => confirms[index]);
  };

type Open = Ports & {
  rpID: string;
  origin: string;
  challenges: ReturnType<typeof createChallenges>;
  liveRows: ReturnType<typeof createLiveRows>;
  confirmingRows: ReturnType<typeof createConfirmingRows>;
};

/** Whether a passkey was registered before, even if it has ended since. */
const isKept = async (db: Db, credentialId: string): Promise<boolean> => {
  const { rows } = await db.query('select from console.passkeys where credential_id = $1', [
    credentialId,
  ]);
  return rows.length > 0;
};

const registering = ({ db, clock, name, rpID, origin, challenges, liveRows }: Open) => ({
  async askToRegister(of: { sessionId: string; accountId: string }): Promise<Challenge> {
    const { generateRegistrationOptions } = await library();
    const known = await liveRows('account_id', of.accountId);
    const options = await generateRegistrationOptions({
      rpName: name,
      rpID,
      userName: of.accountId,
      userID: new TextEncoder().encode(of.accountId),
      attestationType: 'none',
      excludeCredentials: known.map((row) => ({ id: row.credential_id })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    return {
      options,
      ticket: challenges.ticketOf(options.challenge, { purpose: 'register', ...of }),
    };
  },

  /** A new passkey; undefined for every reason why the answer makes none. */
  async registered(
    { ticket, answer }: Answered,
    of: { sessionId: string; accountId: string },
  ): Promise<WebAuthnCredential | undefined> {
    const response = parsed<RegistrationResponseJSON>(answer);
    const expectedChallenge = await challenges.use(ticket, { purpose: 'register', ...of });
    if (!response || expectedChallenge === undefined) return undefined;
    const { verifyRegistrationResponse } = await library();
    const report = await unlessRefused(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge,
        expectedOrigin: origin,
        expectedRPID: rpID,
        requireUserVerification: true,
      }),
    );
    const credential = report?.registrationInfo?.credential;
    return credential && !(await isKept(db, credential.id)) ? credential : undefined;
  },

  /** Stores a passkey with its key. False: the registration was given up, or the passkey is stored already. */
  async keep(
    { id, publicKey, counter }: WebAuthnCredential,
    of: { accountId: string; keyId: string; keyHash: string },
  ): Promise<boolean> {
    const { rowCount } = await db.query(
      `with kept as (
         insert into console.passkeys
           (credential_id, account_id, key_id, key_hash, public_key, counter, created_at)
         select $1, $2, key_id, $4, $5, $6, $7 from console.begun_passkeys where key_id = $3
         on conflict do nothing returning key_id
       )
       delete from console.begun_passkeys where key_id in (select key_id from kept)`,
      [id, of.accountId, of.keyId, of.keyHash, Buffer.from(publicKey), counter, new Date(clock())],
    );
    return rowCount === 1;
  },
});

/** The purpose of a challenge, and the session that it is for. Without a session: a sign-in. */
const askedBy = (session: Confirmed | undefined): Asked =>
  session
    ? { purpose: 'confirm', sessionId: session.id, accountId: session.caller.accountId }
    : { purpose: 'sign-in' };

const recognising = (open: Open) => ({
  /** @param session the one that is confirmed; absent: for a sign-in any passkey of the service counts */
  async ask(session?: Confirmed): Promise<Challenge> {
    const { generateAuthenticationOptions } = await library();
    const known = session ? await open.confirmingRows(session.caller) : [];
    const options = await generateAuthenticationOptions({
      rpID: open.rpID,
      allowCredentials: known.map((row) => ({ id: row.credential_id })),
      userVerification: 'required',
    });
    return { options, ticket: open.challenges.ticketOf(options.challenge, askedBy(session)) };
  },

  /**
   * The key that a passkey stands for; undefined if the answer is wrong, for whatever reason. A frozen key signs in only
   * to read, and confirms nothing.
   */
  async recognise(
    { ticket, answer }: Answered,
    session?: Confirmed,
  ): Promise<{ keyId: string; source: SourceColumns } | undefined> {
    const response = parsed<AuthenticationResponseJSON>(answer);
    const expectedChallenge = await open.challenges.use(ticket, askedBy(session));
    if (!response || expectedChallenge === undefined) return undefined;
    const id = String(response.id);
    const rows = session
      ? await open.confirmingRows(session.caller)
      : await open.liveRows('credential_id', id);
    const row = rows.find((one) => one.credential_id === id);
    if (!row || (session && (await isKeyFrozen(open, row)))) return undefined;
    const { verifyAuthenticationResponse } = await library();
    const report = await unlessRefused(() =>
      verifyAuthenticationResponse({
        response,
        expectedChallenge,
        expectedOrigin: open.origin,
        expectedRPID: open.rpID,
        requireUserVerification: true,
        credential: {
          id: row.credential_id,
          publicKey: new Uint8Array(row.public_key),
          counter: Number(row.counter),
        },
      }),
    );
    if (!report) return undefined;
    await open.db.query(
      'update console.passkeys set counter = greatest(counter, $2) where credential_id = $1',
      [row.credential_id, report.authenticationInfo.newCounter],
    );
    const source = { key_hash: row.key_hash, ucan_sealed: null, read_only: false };
    return { keyId: row.key_id, source };
  },
});

/** Undefined where browsers take no passkeys. */
export const createPasskeys = (ports: Ports) => {
  const { db, clock, baseUrl } = ports;
  const rpID = hostFor(baseUrl);
  if (rpID === undefined) return undefined;
  const liveRows = createLiveRows(ports);
  const { origin } = new URL(baseUrl);
  const confirmingRows = createConfirmingRows(ports, liveRows);
  const challenges = createChallenges(ports);
  const site: Open = { ...ports, rpID, origin, liveRows, confirmingRows, challenges };
  return {
    ...registering(site),
    ...recognising(site),

    /** Whether a session must be confirmed: a passkey can confirm it, and no valid passkey has done so. */
    async asks({ caller, confirmedBy }: Pick<Session, 'caller' | 'confirmedBy'>): Promise<boolean> {
      const rows = await confirmingRows(caller);
      const confirming = rows.find((row) => row.key_id === confirmedBy);
      if (confirming && !(await isKeyFrozen(ports, confirming))) return false;
      return rows.length > 0;
    },

    /** Removes challenges that expired. */
    async tidy(): Promise<void> {
      await db.query('delete from console.answered_challenges where expires_at <= $1', [
        new Date(clock()),
      ]);
    },
  };
};

export type Passkeys = NonNullable<ReturnType<typeof createPasskeys>>;
