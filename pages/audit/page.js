/**
 * Verifies in the browser what the audit page shows: signatures of the credentials, that they
 * say what stands next to them, their links, and their place in the signed log. Needs nobody but the page.
 */

const encoder = new TextEncoder();
const { subtle } = globalThis.crypto ?? {};

/** A check that cannot run here; the badge says so. */
class NotChecked extends Error {}
/** A check that fails. */
class Wrong extends Error {}

const assert = (condition, reason) => {
  if (!condition) throw new Wrong(reason);
};

/** Texts of other languages by the English one. */
const words = JSON.parse(document.querySelector('main[data-words]')?.dataset.words ?? '{}');

/** A text in the language of the page; `{name}` stands for a value. */
const say = (text, values = {}) =>
  (words[text] ?? text).replace(/\{(\w+)\}/g, (_, name) => String(values[name]));

const bytesOf = (binary) => Uint8Array.from(binary, (letter) => letter.charCodeAt(0));

const fromBase64 = (text) => {
  try {
    return bytesOf(atob(text));
  } catch {
    throw new Wrong('it is not well formed');
  }
};

const toBase64Url = (bytes) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The bytes of canonical base64url. */
const fromBase64Url = (text) => {
  assert(/^[\w-]*$/.test(text), 'it is not well formed');
  const bytes = fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'));
  assert(toBase64Url(bytes) === text, 'it is not well formed');
  return bytes;
};

const concat = (...parts) => {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

const sha256 = async (bytes) => new Uint8Array(await subtle.digest('SHA-256', bytes));

const equal = (a, b) => a.length === b.length && a.every((byte, index) => byte === b[index]);

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The 32 bytes of an Ed25519 key written as Multikey. */
const rawKeyOf = (multikey) => {
  let value = 0n;
  for (const letter of multikey.slice(1)) value = value * 58n + BigInt(alphabet.indexOf(letter));
  const hex = value.toString(16).padStart(68, '0');
  const bytes = Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
  assert(bytes.length === 34 && bytes[0] === 0xed && bytes[1] === 1, 'its key is no Ed25519 key');
  return bytes.subarray(2);
};

const isSignature = async (raw, data, signature) => {
  let key;
  try {
    key = await subtle.importKey('raw', raw, { name: 'Ed25519' }, false, ['verify']);
  } catch {
    throw new NotChecked('this browser cannot check Ed25519 signatures');
  }
  return subtle.verify({ name: 'Ed25519' }, key, signature, data);
};

const jsonOf = (segment) => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(fromBase64Url(segment)));
  } catch {
    throw new Wrong('it is not well formed');
  }
};

/** Clocks differ. */
const keySkewSeconds = 300;

const assertInTime = (key, atMs, { firstMs, inLog }) => {
  const from = Date.parse(key.validFrom);
  const skewMs = keySkewSeconds * 1000;
  // The clock of a service may be set back: the position of a credential in the log proves that its key signed it.
  assert(inLog || from === firstMs || atMs >= from - skewMs, 'its key was not in use yet');
  // The position also decides which credentials of a revoked key count, because a thief may state any time.
  if (key.validUntil !== undefined && !(inLog && key.state === 'revoked')) {
    assert(atMs <= Date.parse(key.validUntil) + skewMs, 'its key was not in use any more');
  }
};

/**
 * The payload of a token, and the key that signed it. `timeOf` is seconds. `inLog`: its position in the log is proved
 * as well.
 */
const openToken = async (jwt, typ, keys, timeOf, { inLog = false } = {}) => {
  const [head, body, tail, ...rest] = jwt.split('.');
  assert(tail !== undefined && rest.length === 0, 'it is not well formed');
  const [header, payload] = [jsonOf(head), jsonOf(body)];
  assert(header.alg === 'EdDSA' && header.typ === typ, 'it is not signed as it must be');
  const own = keys.filter((key) => key.purpose === 'credential');
  const key = own.find(({ kids }) => kids.includes(header.kid));
  assert(key !== undefined, 'the service has no such key');
  assert(header.kid.split('#')[0] === payload.iss, 'its key is not one of its issuer');
  const signed = await isSignature(
    rawKeyOf(key.publicKeyMultibase),
    encoder.encode(`${head}.${body}`),
    fromBase64Url(tail),
  );
  assert(signed, 'the signature is not one of its content');
  const firstMs = Math.min(...own.map(({ validFrom }) => Date.parse(validFrom)));
  assertInTime(key, timeOf(payload) * 1000, { firstMs, inLog });
  return { payload, key };
};

/**
 * The service's renewed attestations of credentials by a revoked key, by their hash. Only trusted keys can
 * sign them.
 */
const openReattestations = async (tokens, keys, letterId) => {
  const again = new Map();
  for (const jwt of tokens) {
    try {
      const type = 'letters-reattestation+jwt';
      const { payload, key } = await openToken(jwt, type, keys, ({ iat }) => iat);
      if (key.state === 'revoked' || payload.sub !== `urn:uuid:${letterId}`) continue;
      again.set(payload.credentialHash, payload);
    } catch (error) {
      // One that does not hold says nothing; a browser that cannot check it cannot check the credential either.
      if (!(error instanceof Wrong || error instanceof NotChecked)) throw error;
    }
  }
  return again;
};

/** The subject of a credential that one of the keys signed. */
const openCredential = async (jwt, { keys, again }, inLog) => {
  const { payload, key } = await openToken(jwt, 'JWT', keys, ({ nbf }) => nbf, { inLog });
  const subject = payload.vc?.credentialSubject;
  assert(typeof subject === 'object' && subject !== null, 'it is no credential of an event');
  if (key.state !== 'revoked' || subject.logIndex < (key.trustedLogSize ?? 0)) {
    return { payload, subject, anew: false };
  }
  const said = (await again).get(await credentialHash(jwt));
  const same =
    said?.sequence === subject.sequence &&
    said.eventHash === subject.eventHash &&
    said.logIndex === subject.logIndex;
  assert(same, 'its key was revoked');
  return { payload, subject, anew: true };
};

/** Root that an audit path leads to (RFC 9162 §2.1.3.2). */
const rootOf = async (leaf, index, size, path) => {
  let [place, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    assert(last > 0, 'its proof is too long');
    if (place % 2 === 1 || place === last) {
      hash = await sha256(concat(Uint8Array.of(1), sibling, hash));
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash = await sha256(concat(Uint8Array.of(1), hash, sibling));
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  assert(last === 0, 'its proof is too short');
  return hash;
};

/** Size and root of the checkpoint, once a key of the log was found to have signed it. */
const openCheckpoint = async (note, origin, keys) => {
  const split = note.indexOf('\n\n');
  const text = note.slice(0, split + 1);
  const [name, size, root] = text.split('\n');
  assert(
    split > 0 && name === origin && /^\d+$/.test(size),
    'the checkpoint is not one of the log',
  );
  const start = `— ${origin} `;
  const lines = note.slice(split + 2).split('\n');
  const signatures = lines.filter((line) => line.startsWith(start));
  for (const line of signatures) {
    const signature = fromBase64(line.slice(start.length)).subarray(4);
    for (const key of keys) {
      if (key.purpose !== 'log' || key.state === 'revoked') continue;
      const raw = rawKeyOf(key.publicKeyMultibase);
      if (await isSignature(raw, encoder.encode(text), signature)) {
        return { size: Number(size), root: fromBase64(root) };
      }
    }
  }
  throw new Wrong('no key of the log signed the checkpoint');
};

const credentialHash = async (jwt) => `sha-256:${toBase64Url(await sha256(encoder.encode(jwt)))}`;

const assertSaid = ({ payload, subject }, shown, letterId) => {
  assert(
    payload.sub === `urn:uuid:${letterId}` && subject.letterId === letterId,
    'it is about another letter',
  );
  const same =
    subject.sequence === Number(shown.sequence) &&
    subject.eventType === shown.type &&
    subject.occurredAt === Date.parse(shown.at) &&
    (subject.status ?? '') === shown.status &&
    subject.eventHash === shown.eventHash;
  assert(same, 'it does not say what stands here');
};

const check = async (badge, page) => {
  const { credential: jwt, path } = badge.dataset;
  const inLog = path !== 'none';
  const opened = await openCredential(jwt, page, inLog);
  assertSaid(opened, badge.dataset, page.letterId);
  const { subject } = opened;
  const before = page.badges[page.badges.indexOf(badge) - 1]?.dataset.credential;
  if (subject.sequence === 1) {
    assert(subject.previousCredentialHash === null, 'it does not begin the history');
  } else if (before !== undefined) {
    const linked = (await credentialHash(before)) === subject.previousCredentialHash;
    assert(linked, 'it does not follow the one before');
  }
  if (!inLog) return say('Signed, not in the log yet');
  const { size, root } = await page.checkpoint;
  assert(subject.logIndex < size, 'it is not in the log');
  const leaf = await sha256(concat(Uint8Array.of(0), encoder.encode(jwt)));
  const hashes = path === '' ? [] : path.split(' ').map(fromBase64);
  const reached = await rootOf(leaf, subject.logIndex, size, hashes);
  assert(equal(reached, root), 'it is not in the log');
  return say(opened.anew ? 'Verified, attested anew' : 'Verified');
};

const judge = async (badge, page) => {
  try {
    if (!subtle) throw new NotChecked('this page was not loaded over a secure connection');
    return { state: 'good', text: await check(badge, page) };
  } catch (error) {
    if (error instanceof Wrong) {
      const text = say('Does not verify: {reason}', { reason: say(error.message) });
      return { state: 'bad', text };
    }
    const why = error instanceof NotChecked ? error.message : 'the check failed';
    return { state: 'unchecked', text: say('Not checked'), why: say(why) };
  }
};

const summaryOf = (results, waiting) => {
  const count = results.length;
  const bad = results.filter(({ state }) => state === 'bad').length;
  const unchecked = results.find(({ state }) => state === 'unchecked');
  if (bad > 0) {
    return {
      state: 'bad',
      text: say('{bad} of {count} records do not verify. Do not rely on this page.', {
        bad,
        count,
      }),
    };
  }
  if (unchecked || results.length === 0) {
    const text = unchecked
      ? say('Not checked: {why}. Download the bundle to verify it.', { why: unchecked.why })
      : say('Not checked. Download the bundle to verify it.');
    return { state: 'unchecked', text };
  }
  if (waiting > 0) {
    return {
      state: 'unchecked',
      text: say('{count} records verify; {waiting} are not signed yet.', { count, waiting }),
    };
  }
  return {
    state: 'good',
    text:
      count === 1
        ? say(
            'The only record verifies: its signature and its place in the log were checked in this browser.',
          )
        : say(
            'All {count} records verify: signatures, links and places in the log were checked in this browser.',
            { count },
          ),
  };
};

const show = (element, { state, text }) => {
  element.dataset.state = state;
  element.textContent = text;
};

const main = document.querySelector('main[data-keys]');
if (main) {
  const { keys, letter, origin, checkpoint, reattestations } = main.dataset;
  const badges = [...main.querySelectorAll('.badge[data-credential]')];
  const published = JSON.parse(keys);
  const page = { badges, keys: published, letterId: letter };
  page.again = openReattestations(reattestations.split(' ').filter(Boolean), published, letter);
  page.checkpoint = openCheckpoint(checkpoint, origin, published);
  // Each badge that rests on it says so.
  page.checkpoint.catch(() => {});
  page.again.catch(() => {});
  const results = [];
  for (const badge of badges) {
    const result = await judge(badge, page);
    show(badge, result);
    results.push(result);
  }
  const waiting = main.querySelectorAll('.badge[data-state="waiting"]').length;
  show(document.querySelector('#summary'), summaryOf(results, waiting));
}
