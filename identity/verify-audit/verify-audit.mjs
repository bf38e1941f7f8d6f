#!/usr/bin/env node
/**
 * Verifies the audit history of a letter, offline: node verify-audit.mjs [BUNDLE] [options]
 *
 * Needs Node 18 or newer and nothing else. BUNDLE is the zip file as it was downloaded, or the folder
 * it was unpacked into (default: the folder of this file). Exit codes: 0 everything holds,
 * 1 something does not (each deviation is named), 2 the bundle or the command line cannot be read,
 * 3 everything holds, but nothing shows that the service had each name that signed, or that it stated the length.
 */
import * as crypto from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';

const usage = `Usage: node verify-audit.mjs [BUNDLE] [--did DID] [--did-document FILE [--former-document FILE]…]
                             [--log-key KEY] [--checkpoint FILE [--consistency FILE]]

  BUNDLE                the zip file, or the folder it was unpacked into
  --did DID             the service that must have signed
  --did-document FILE   its DID document, or its answer to /api/identity/service-did, as you fetched it
  --former-document FILE  the DID document of a did:web that the service had before, as you fetched it from there
  --log-key KEY         key of its log, as a Multikey (z6Mk…) or a verifier key (origin+id+base64)
  --checkpoint FILE     another checkpoint of the log (checkpoint.txt of another bundle, or the answer of
                        /api/identity/log/checkpoint): the two must be of one log that only grew
  --consistency FILE    the proof of that: the answer of /api/identity/log/proof/consistency`;

/** Input that cannot be read at all; ends with exit code 2. */
class Unreadable extends Error {}

// ---------------------------------------------------------------- bytes and hashes

const { createHash, createPublicKey, verify } = crypto;

const createAndDigest = (data) => createHash('sha256').update(data).digest();
/** Newer versions of Node hash in one go, which is faster. */
const sha256 =
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data, 'buffer')
    : createAndDigest;

const hashText = (bytes) => `sha-256:${sha256(bytes).toString('base64url')}`;

const strictBase64Url = (text) => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
};

const strictBase64 = (text) => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

const base58Alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The 32 bytes of an Ed25519 key written as Multikey. */
const ed25519OfMultikey = (multikey) => {
  if (typeof multikey !== 'string' || !/^z[1-9A-HJ-NP-Za-km-z]{40,60}$/.test(multikey))
    return undefined;
  let value = 0n;
  for (const letter of multikey.slice(1))
    value = value * 58n + BigInt(base58Alphabet.indexOf(letter));
  const bytes = Buffer.from(value.toString(16).padStart(68, '0'), 'hex');
  return bytes.length === 34 && bytes[0] === 0xed && bytes[1] === 0x01
    ? bytes.subarray(2)
    : undefined;
};

const verifierOf = (raw) => {
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });
  return (data, signature) =>
    signature.length === 64 && verify(null, Buffer.from(data), key, signature);
};

// ---------------------------------------------------------------- the bundle

/** Of all files that are unpacked together. */
const maxBundleBytes = 512 * 1024 * 1024;
const bundleFiles = [
  'history.json',
  'credentials.json',
  'inclusion.json',
  'checkpoint.txt',
  'service-did.json',
  'statement.jwt',
  'reattestations.json',
];

/** Files of the bundle in a zip, by name: what the central directory lists, stored or deflated. */
const readZip = (zip) => {
  const end = zip.lastIndexOf(Buffer.from('504b0506', 'hex'));
  if (end < 0) throw new Unreadable('the bundle is not a zip file');
  const files = new Map();
  let room = maxBundleBytes;
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Unreadable('the zip file is damaged');
    const [method, size] = [zip.readUInt16LE(at + 10), zip.readUInt32LE(at + 20)];
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((o) =>
      zip.readUInt16LE(at + o),
    );
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    at += 46 + nameLength + extraLength + commentLength;
    if (!bundleFiles.includes(name)) continue;
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const packed = zip.subarray(start, start + size);
    if (files.has(name)) throw new Unreadable(`the zip file holds ${name} twice`);
    const bytes = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: room });
    room -= bytes.length;
    if (room <= 0) throw new Unreadable('the bundle is too large');
    files.set(name, bytes);
  }
  return files;
};

const readFolder = (folder) => {
  const files = new Map();
  for (const name of bundleFiles) {
    try {
      files.set(name, readFileSync(join(folder, name)));
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
  return files;
};

/** A name that an object has twice: readers differ in which of the two they take. */
const repeatedName = (text) => {
  const open = [];
  const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/gy;
  let last;
  for (let at = 0; at < text.length; at++) {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined) continue;
    at += found.length - 1;
    if (found === '{') open.push(new Set());
    else if (found === '[') open.push(undefined);
    else if (found === '}' || found === ']') open.pop();
    else if (found === ':') {
      const names = open.at(-1);
      const name = JSON.parse(last);
      if (names?.has(name)) return name;
      names?.add(name);
    }
    last = found;
  }
  return undefined;
};

const readJson = (text, name) => {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unreadable(`${name} is not JSON`);
  }
  const repeated = repeatedName(text);
  if (repeated === undefined) return value;
  const shown = plain(JSON.stringify(repeated.slice(0, 100)));
  throw new Unreadable(`${name} has the name ${shown} twice in one object`);
};

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

const assertShape = (condition, what) => {
  if (!condition) throw new Unreadable(`${what} has not the form of an audit bundle`);
};

/** A million events are more than a letter ever has. */
const isPlace = (value) => Number.isSafeInteger(value) && value >= 0 && value <= 1_000_000;

const readBundle = (path) => {
  let files;
  try {
    files = statSync(path).isDirectory() ? readFolder(path) : readZip(readFileSync(path));
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(`${path} cannot be read: ${error.message}`);
  }
  const text = (name) => files.get(name)?.toString('utf8');
  const json = (name) => {
    const found = text(name);
    if (found === undefined) throw new Unreadable(`${name} is missing in ${path}`);
    return readJson(found, name);
  };
  const history = json('history.json');
  assertShape(isObject(history) && Array.isArray(history.events), 'history.json');
  assertShape(typeof history.letter_id === 'string', 'history.json');
  for (const event of history.events) {
    const texts = ['position', 'stream', 'id', 'type', 'data', 'metadata'];
    assertShape(isObject(event) && isPlace(event.version), 'history.json');
    assertShape(
      texts.every((name) => typeof event[name] === 'string'),
      'history.json',
    );
    assertShape(/^\d{1,20}$/.test(event.position), 'history.json');
  }
  const credentials = json('credentials.json');
  assertShape(Array.isArray(credentials), 'credentials.json');
  for (const one of credentials) {
    assertShape(isObject(one) && isPlace(one.sequence), 'credentials.json');
    assertShape(
      Number.isSafeInteger(one.log_index) && typeof one.jwt === 'string',
      'credentials.json',
    );
  }
  const reattestations = files.has('reattestations.json') ? json('reattestations.json') : [];
  assertShape(
    Array.isArray(reattestations) && reattestations.every((jwt) => typeof jwt === 'string'),
    'reattestations.json',
  );
  const inclusion = json('inclusion.json');
  assertShape(isObject(inclusion) && isObject(inclusion.paths), 'inclusion.json');
  const service = json('service-did.json');
  assertShape(isObject(service) && typeof service.did === 'string', 'service-did.json');
  assertShape(Array.isArray(service.keys) && service.keys.every(isObject), 'service-did.json');
  assertShape(
    service.keys.every((key) => Array.isArray(key.kids)),
    'service-did.json',
  );
  return {
    history,
    credentials,
    reattestations,
    inclusion,
    service,
    checkpoint: text('checkpoint.txt'),
    statement: text('statement.jwt'),
  };
};

// ---------------------------------------------------------------- keys

/** Clocks differ, and `nbf` has no milliseconds. */
const keySkewSeconds = 300;

const seconds = (time) => Math.floor(Date.parse(time) / 1000);

/** Whether a signature of the log at this size counts. A revoked key counts up to its trusted size. */
const countsAt = ({ revoked, trustedLogSize }, size) => !revoked || size <= (trustedLogSize ?? 0);

/** The trust in a key, as the bundle states it. */
const trustOf = (key) => ({
  revoked: key.state === 'revoked',
  trustedLogSize: key.trusted_log_size,
});

/** Keys of one purpose by each name they were used under. */
const keysOf = (service, purpose) => {
  const keys = new Map();
  const own = service.keys.filter((key) => key.purpose === purpose);
  // The first key signs for what happened before there were keys, too.
  const first = Math.min(...own.map((key) => seconds(key.valid_from)));
  for (const key of own) {
    const raw = ed25519OfMultikey(key.publicKeyMultibase);
    if (!raw) continue;
    const notBefore =
      seconds(key.valid_from) === first ? 0 : seconds(key.valid_from) - keySkewSeconds;
    const notAfter =
      key.valid_until === undefined
        ? Number.POSITIVE_INFINITY
        : seconds(key.valid_until) + keySkewSeconds;
    const known = { ...key, raw, notBefore, notAfter, verifies: verifierOf(raw) };
    for (const kid of key.kids) if (typeof kid === 'string') keys.set(kid, known);
  }
  return keys;
};

// ---------------------------------------------------------------- credentials

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Header and payload must be what JSON.stringify writes: so nothing is in them twice. */
const jsonSegment = (segment) => {
  const bytes = strictBase64Url(segment);
  if (!bytes) return undefined;
  try {
    const text = utf8.decode(bytes);
    const value = JSON.parse(text);
    return isObject(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
};

/** A token that one of the keys signed: `{ payload }`, or `{ kind, detail }` that says why it is not one. */
const openToken = (jwt, typ, keys, timeOf, { inLog = false } = {}) => {
  const segments = jwt.split('.');
  const [header, payload] = segments.map(jsonSegment);
  const signature = strictBase64Url(segments[2] ?? '');
  if (segments.length !== 3 || !header || !payload || !signature) {
    return { kind: 'edited', detail: 'it is not a well-formed token' };
  }
  if (header.alg !== 'EdDSA' || header.typ !== typ || 'crit' in header) {
    return { kind: 'edited', detail: `its header does not say EdDSA and ${typ}` };
  }
  const key = typeof header.kid === 'string' ? keys.get(header.kid) : undefined;
  if (!key)
    return { kind: 'unknown key', detail: `${header.kid} is no key of the service for this` };
  if (header.kid.slice(0, header.kid.indexOf('#')) !== payload.iss) {
    return {
      kind: 'unknown key',
      detail: `${header.kid} is not a key of its issuer ${payload.iss}`,
    };
  }
  if (payload.iss.startsWith('did:key:') && payload.iss !== `did:key:${key.publicKeyMultibase}`) {
    return { kind: 'unknown key', detail: `its key is not the one that ${payload.iss} names` };
  }
  if (!key.verifies(`${segments[0]}.${segments[1]}`, signature)) {
    return { kind: 'edited', detail: 'its signature is not one of its content' };
  }
  const time = timeOf(payload);
  // The clock of a service may be set back: the position of a credential in the log proves that its key signed it.
  const notBefore = inLog ? 0 : key.notBefore;
  // The position also decides which credentials of a revoked key count, because a thief may state any time.
  const notAfter = inLog && key.state === 'revoked' ? Number.POSITIVE_INFINITY : key.notAfter;
  if (!Number.isSafeInteger(time) || time < notBefore || time > notAfter) {
    return { kind: 'unknown key', detail: `${header.kid} was not in use at the time it states` };
  }
  return { payload, key };
};

const continuationType = 'letters-continuation+jwt';

/**
 * The claims of a statement that the service goes on under another name, with the former key that signed it;
 * undefined if it does not count. The service of the new name cannot make it alone.
 */
const openContinuation = (statement) => {
  const segments = String(statement).split('.');
  const [header, payload] = segments.map(jsonSegment);
  const signature = strictBase64Url(segments[2] ?? '');
  if (segments.length !== 3 || !header || !payload || !signature) return undefined;
  const multikey = String(payload.iss).slice('did:key:'.length);
  const raw = ed25519OfMultikey(multikey);
  const isMeant =
    raw &&
    header.alg === 'EdDSA' &&
    header.typ === continuationType &&
    payload.iss === `did:key:${multikey}` &&
    header.kid === `${payload.iss}#${multikey}`;
  if (!isMeant || !verifierOf(raw)(`${segments[0]}.${segments[1]}`, signature)) return undefined;
  return { ...payload, multikey };
};

const reattestationType = 'letters-reattestation+jwt';

/**
 * The service's renewed attestations of credentials by a revoked key, by their hash. Only trusted keys can
 * sign them.
 */
const openReattestations = ({ reattestations, history }, keys) => {
  const again = new Map();
  for (const jwt of reattestations) {
    const opened = openToken(jwt, reattestationType, keys, (payload) => payload.iat);
    const { payload, key } = opened;
    if (!payload || key.state === 'revoked') continue;
    if (payload.sub !== ownNames(history).subjectId) continue;
    again.set(payload.credentialHash, opened);
  }
  return again;
};

/** The reattestation of a credential, where it says the same. */
const saidAgain = (again, { jwt, sequence }, subject) => {
  const found = again.get(hashText(jwt));
  const same =
    found?.payload.sequence === sequence &&
    found.payload.eventHash === subject.eventHash &&
    found.payload.logIndex === subject.logIndex;
  return same ? found : undefined;
};

const openCredential = (entry, keys, reattested) => {
  const opened = openToken(entry.jwt, 'JWT', keys, (payload) => payload.nbf, { inLog: true });
  if (!opened.payload) return opened;
  const { payload, key } = opened;
  const subject = payload.vc?.credentialSubject;
  if (!isObject(subject)) return { kind: 'edited', detail: 'it is no credential of an event' };
  const again = saidAgain(reattested, entry, subject);
  if (!countsAt(trustOf(key), subject.logIndex + 1) && !again) {
    return { kind: 'unknown key', detail: 'its key was revoked before it came into the log' };
  }
  return { ...opened, subject, again };
};

// ---------------------------------------------------------------- the log

const leafHash = (jwt) => sha256(`\0${jwt}`);

const node = Buffer.alloc(65, 1);
const nodeHash = (left, right) => {
  left.copy(node, 1);
  right.copy(node, 33);
  return sha256(node);
};

/** Root that an audit path leads to (RFC 9162 §2.1.3.2), undefined if the path has a wrong length. */
const rootOf = (leaf, index, size, path) => {
  let [place, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sibling, hash);
      while (place % 2 === 0 && place !== 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : undefined;
};

const isPowerOfTwo = (size) => 2 ** Math.round(Math.log2(size)) === size;

/** Whether the proof shows that the larger tree begins with the smaller one (RFC 9162 §2.1.4.2). */
const isConsistent = (older, newer, proof) => {
  if (older.size === newer.size) return proof.length === 0 && older.root.equals(newer.root);
  if (older.size === 0) return proof.length === 0 && older.root.equals(sha256(''));
  const [start, ...rest] = isPowerOfTwo(older.size) ? [older.root, ...proof] : proof;
  if (start === undefined) return false;
  let [place, last] = [older.size - 1, newer.size - 1];
  const up = () => {
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  };
  while (place % 2 === 1) up();
  let [ofOlder, ofNewer] = [start, start];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      ofOlder = nodeHash(sibling, ofOlder);
      ofNewer = nodeHash(sibling, ofNewer);
      while (place % 2 === 0 && place !== 0) up();
    } else {
      ofNewer = nodeHash(ofNewer, sibling);
    }
    up();
  }
  return last === 0 && ofOlder.equals(older.root) && ofNewer.equals(newer.root);
};

const logKeyId = (name, raw) =>
  sha256(Buffer.concat([Buffer.from(`${name}\n\x01`), raw])).subarray(0, 4);

/** `{ size, root, key }` of a note that a key of the log signed, or `{ error }`. C2SP tlog-checkpoint. */
const openCheckpoint = (note, service) => {
  if (note === undefined) return { error: 'there is no checkpoint' };
  const split = note.indexOf('\n\n');
  const body = note.slice(0, split + 1);
  const [origin, sizeText, rootText] = body.split('\n');
  const root = strictBase64(rootText ?? '');
  if (split < 0 || !/^(0|[1-9]\d{0,14})$/.test(sizeText ?? '') || root?.length !== 32) {
    return { error: 'the checkpoint is not a checkpoint of a log' };
  }
  if (origin !== service.log_origin)
    return { error: `it is one of the log ${origin}, not of this one` };
  const lines = note
    .slice(split + 2)
    .split('\n')
    .filter((line) => line.startsWith(`— ${origin} `));
  const signed = (raw) =>
    lines.some((line) => {
      const bytes = strictBase64(line.slice(`— ${origin} `.length));
      const isNamed = bytes?.subarray(0, 4).equals(logKeyId(origin, raw));
      return isNamed && verifierOf(raw)(body, bytes.subarray(4));
    });
  const size = Number(sizeText);
  let error = 'no key of the log signed it';
  for (const key of service.keys) {
    const raw = key.purpose === 'log' ? ed25519OfMultikey(key.publicKeyMultibase) : undefined;
    if (!raw || !signed(raw)) continue;
    const trust = trustOf(key);
    if (countsAt(trust, size)) return { size, root, key };
    error = `its key was revoked, and counts up to ${trust.trustedLogSize ?? 0} credentials`;
  }
  return { error };
};

/** A checkpoint that the caller kept: of the log as it is named, or as one of its keys says that it was. */
const openKeptCheckpoint = (note, service) => {
  const origin = note.slice(0, note.indexOf('\n'));
  if (origin === service.log_origin) return openCheckpoint(note, service);
  const former = Array.isArray(service.former_log_origins) ? service.former_log_origins : [];
  const signers = former
    .map((one) => openContinuation(one?.statement))
    .filter(
      (said) =>
        said?.formerOrigin === origin &&
        said.origin === service.log_origin &&
        said.sub === service.did,
    )
    .map(({ multikey }) => multikey);
  if (signers.length === 0) return openCheckpoint(note, service);
  const keys = service.keys.filter((key) => signers.includes(key.publicKeyMultibase));
  return openCheckpoint(note, { ...service, log_origin: origin, keys });
};

// ---------------------------------------------------------------- the history

const eventBytes = ({ stream, version, id, type, data, metadata }) =>
  `${stream}\n${version}\n${id}\n${type}\n${data}\n${metadata}`;

const eventName = (type) =>
  `letter.${type
    .replace(/^Letter(?=.)/, '')
    .replace(/(?<=[a-z0-9])[A-Z]/g, '_$&')
    .toLowerCase()}`;

const metadataOf = (event) => {
  try {
    const metadata = JSON.parse(event.metadata);
    return isObject(metadata) ? metadata : {};
  } catch {
    return {};
  }
};

/** Findings and their places. Places are numbers of events; a place that is faulty is not blamed twice. */
const createFindings = (history) => {
  const positions = new Map(history.events.map((event) => [event.version + 1, event.position]));
  const findings = [];
  const faulty = new Set();
  const where = (sequence) => {
    if (positions.has(sequence)) return `event ${sequence}, position ${positions.get(sequence)}`;
    const before = [...positions.keys()].filter((other) => other < sequence).at(-1);
    const after = before === undefined ? '' : `, after position ${positions.get(before)}`;
    return `event ${sequence}${after}`;
  };
  const find = (kind, sequence, detail) => {
    findings.push({ kind, place: sequence === undefined ? undefined : where(sequence), detail });
    if (sequence !== undefined) faulty.add(sequence);
  };
  return { findings, faulty, find };
};

/** The names that each credential and event of this history must have. */
const ownNames = ({ letter_id: letterId }) => ({
  subjectId: `urn:uuid:${letterId}`,
  stream: `letter-${letterId}`,
});

const judgeCredentialPlace = (find, entry, { subject, payload }, { history, last }) => {
  const { sequence } = entry;
  const { subjectId, stream } = ownNames(history);
  if (sequence < last.sequence) find('swapped', sequence, 'its credential stands out of order');
  if (payload.sub !== subjectId || subject.id !== subjectId || subject.stream !== stream) {
    find('forked', sequence, 'its credential is about another letter');
  }
  if (subject.logIndex !== entry.log_index) {
    find('edited', sequence, 'its index in the log was changed');
  } else if (subject.logIndex <= last.index) {
    find('forked', sequence, 'the log has it before an earlier event');
  }
};

/** Credentials by their place: `{ jwt }`, with `payload`, `subject` and `key` where one counts. */
const judgeCredentials = (bundle, keys, find) => {
  const { history, credentials: entries } = bundle;
  const reattested = openReattestations(bundle, keys);
  const credentials = new Map();
  const last = { sequence: 0, index: -1 };
  for (const entry of entries) {
    const { sequence, jwt } = entry;
    const opened = openCredential(entry, keys, reattested);
    const { subject, payload, key, again } = opened;
    const other = credentials.get(sequence);
    if (!subject) {
      find(opened.kind, sequence, `its credential does not count: ${opened.detail}`);
      if (other === undefined) credentials.set(sequence, { jwt });
    } else if (subject.sequence !== sequence) {
      find('swapped', sequence, `its credential is the one of event ${subject.sequence}`);
      continue;
    } else if (other !== undefined) {
      const detail = 'there are two credentials for it, both signed';
      if (other.jwt !== jwt) find('forked', sequence, detail);
      continue;
    } else {
      judgeCredentialPlace(find, entry, opened, { history, last });
      last.index = Math.max(last.index, subject.logIndex);
      credentials.set(sequence, { jwt, payload, subject, key, again });
    }
    last.sequence = sequence;
  }
  return credentials;
};

const statementType = 'letters-audit-statement+jwt';

/** The signed statement about the length of the history, with its key; undefined if it does not count. */
const judgeStatement = ({ history, statement: jwt }, keys, find) => {
  const opened = openToken(jwt ?? '', statementType, keys, (payload) => payload.iat);
  const { payload, key } = opened;
  const why = () => {
    if (jwt === undefined) return 'it is missing';
    if (!payload) return opened.detail;
    if (key.state === 'revoked') return 'its key was revoked';
    if (payload.sub !== ownNames(history).subjectId) return 'it is about another letter';
    return isPlace(payload.events) ? undefined : 'it does not say how many events there are';
  };
  const reason = why();
  if (reason === undefined) return { payload, key };
  find(
    'truncated',
    undefined,
    `the signed statement of the length does not count (${reason}): that the end was not cut off cannot be told`,
  );
  return undefined;
};

/** An event against the credential for its place. `idSequences`: places by the id that was signed. */
const judgeBytes = (find, { event, hash }, { subject, payload }, idSequences) => {
  const sequence = event.version + 1;
  if (subject.eventHash === hash) {
    const same =
      payload.jti === `urn:uuid:${event.id}` &&
      subject.eventType === eventName(event.type) &&
      subject.occurredAt === Date.parse(metadataOf(event).at) &&
      payload.nbf === Math.floor(subject.occurredAt / 1000);
    if (!same) find('edited', sequence, 'its credential does not say what it says');
    return;
  }
  const signed = idSequences.get(`urn:uuid:${event.id}`);
  if (signed === sequence) find('edited', sequence, 'its bytes are not those that were signed');
  else if (signed !== undefined) find('swapped', sequence, `the event here is event ${signed}`);
  else find('forked', sequence, 'another event stands here than the one that was signed');
};

/** Events by their place, each with its hash. */
const judgeEvents = ({ history }, credentials, find) => {
  const { stream } = ownNames(history);
  const signed = [...credentials].filter(([, { payload }]) => payload);
  const idSequences = new Map(signed.map(([sequence, { payload }]) => [payload.jti, sequence]));
  const events = new Map();
  let previous;
  for (const event of history.events) {
    const sequence = event.version + 1;
    const other = events.get(sequence)?.event;
    if (other) {
      find('forked', sequence, `there are two events for this place, ${other.id} and ${event.id}`);
      continue;
    }
    const own = { event, hash: hashText(eventBytes(event)) };
    events.set(sequence, own);
    if (previous && event.version < previous.version) {
      find('swapped', sequence, `it stands after event ${previous.version + 1}`);
    } else {
      if (previous && BigInt(event.position) <= BigInt(previous.position)) {
        find('edited', sequence, 'its position is not above that of the event before');
      }
      previous = event;
    }
    if (event.stream !== stream) find('forked', sequence, `it is of the stream ${event.stream}`);
    const credential = credentials.get(sequence);
    if (credential?.subject) judgeBytes(find, own, credential, idSequences);
  }
  return events;
};

const counted = (events) => `${events} ${events === 1 ? 'event' : 'events'}`;

/** Highest place in a map. */
const lastOf = (places) => {
  let last = 0;
  for (const place of places.keys()) if (place > last) last = place;
  return last;
};

/** Finds missing events in between and at the end. Returns how many events there must be. */
const judgeLength = (events, credentials, stated, { find, faulty }) => {
  const [lastEvent, lastCredential] = [lastOf(events), lastOf(credentials)];
  const expected = Math.max(stated?.events ?? 0, lastEvent, lastCredential);
  for (let sequence = 1; sequence <= Math.max(lastEvent, lastCredential); sequence++) {
    if (!events.has(sequence) && sequence <= lastEvent) {
      find('dropped', sequence, 'it is missing in the history');
    }
    if (!credentials.has(sequence) && sequence <= lastCredential && !faulty.has(sequence)) {
      find('dropped', sequence, 'its credential is missing');
    }
  }
  const there = `there ${expected === 1 ? 'is' : 'are'} ${counted(expected)}`;
  if (lastEvent < expected) {
    find('truncated', lastEvent + 1, `the history ends after event ${lastEvent}; ${there}`);
  }
  if (lastCredential < expected && stated?.complete === false) {
    const detail = 'credentials were not issued yet from here on; fetch the bundle again';
    find('incomplete', lastCredential + 1, detail);
  } else if (lastCredential < expected) {
    const detail = `the credentials end after event ${lastCredential}; ${there}`;
    find('truncated', lastCredential + 1, detail);
  }
  return expected;
};

/** Whether the last event is the one that the service named. */
const judgeEnd = (events, credentials, stated, { find, faulty }) => {
  const last = stated?.events ?? 0;
  if (last === 0) return;
  const beyond = Math.max(lastOf(events), lastOf(credentials));
  if (beyond > last) {
    find('forked', last + 1, `the signed statement knows ${counted(last)} only`);
  }
  const [event, credential] = [events.get(last), credentials.get(last)];
  if (!event || faulty.has(last)) return;
  const holds =
    stated.eventHash === event.hash &&
    (credential === undefined || stated.credentialHash === hashText(credential.jwt));
  if (!holds) find('forked', last, 'the signed statement names another last event');
};

/** Positions are in no event and no credential: the statement alone covers them. */
const judgePositions = ({ history }, stated, { find, faulty }) => {
  if (stated?.positionsHash === undefined || stated.events !== history.events.length) return;
  const text = history.events.map(({ position }) => `${position}\n`).join('');
  if (stated.positionsHash === hashText(text) || faulty.size > 0) return;
  find('edited', undefined, 'the positions of the events are not those that the service stated');
};

/** The links between neighbours, where nothing is known against either. */
const judgeLinks = (events, credentials, { find, faulty }) => {
  for (const [sequence, { event }] of events) {
    if (faulty.has(sequence) || faulty.has(sequence - 1)) continue;
    const before = events.get(sequence - 1);
    const link = sequence === 1 ? '' : before?.hash.slice('sha-256:'.length);
    if (link !== undefined && metadataOf(event).prev !== link) {
      find('forked', sequence, 'its link leads to another event before it');
    }
  }
  for (const [sequence, { subject }] of credentials) {
    if (!subject || faulty.has(sequence) || faulty.has(sequence - 1)) continue;
    const before = credentials.get(sequence - 1);
    const link = sequence === 1 ? null : before && hashText(before.jwt);
    if (link !== undefined && subject.previousCredentialHash !== link) {
      find('forked', sequence, 'its credential follows another credential than the one before it');
    }
  }
};

/** The checkpoint, and the place of every credential under it. */
const judgeLog = ({ checkpoint: note, service, inclusion }, credentials, stated, find) => {
  const checkpoint = openCheckpoint(note, service);
  if (checkpoint.error) {
    find('checkpoint', undefined, `the checkpoint does not count: ${checkpoint.error}`);
    return checkpoint;
  }
  const { size, root } = checkpoint;
  if (stated && (stated.size !== size || stated.root !== root.toString('base64'))) {
    find('checkpoint', undefined, 'the signed statement is about another checkpoint');
  }
  for (const [sequence, { jwt, subject }] of credentials) {
    if (!subject) continue;
    const { logIndex } = subject;
    const texts = inclusion.paths[logIndex];
    const path = Array.isArray(texts) ? texts.map((text) => strictBase64(String(text))) : [];
    const sound =
      Array.isArray(texts) && logIndex < size && path.every((hash) => hash?.length === 32);
    if (!sound || !rootOf(leafHash(jwt), logIndex, size, path)?.equals(root)) {
      find('not in the log', sequence, 'its proof does not lead to the root of the checkpoint');
    }
  }
  return checkpoint;
};

/** Judges a bundle; `findings` is empty when everything holds. */
const judge = (bundle) => {
  const found = createFindings(bundle.history);
  const { find } = found;
  const keys = keysOf(bundle.service, 'credential');
  const credentials = judgeCredentials(bundle, keys, find);
  const statement = judgeStatement(bundle, keys, find);
  const stated = statement?.payload;
  const events = judgeEvents(bundle, credentials, find);
  const expected = judgeLength(events, credentials, stated, found);
  judgeEnd(events, credentials, stated, found);
  judgeLinks(events, credentials, found);
  judgePositions(bundle, stated, found);
  const checkpoint = judgeLog(bundle, credentials, stated, find);
  return { ...found, events, credentials, statement, stated, expected, checkpoint };
};

// ---------------------------------------------------------------- whom to trust

const rawOfLogKey = (text) => {
  if (text.startsWith('z')) return ed25519OfMultikey(text);
  const [, , encoded = ''] = text.split('+', 3).length === 3 ? splitVerifierKey(text) : [];
  const bytes = strictBase64(encoded);
  return bytes?.length === 33 && bytes[0] === 1 ? bytes.subarray(1) : undefined;
};

/** Base64 may hold a plus itself. */
const splitVerifierKey = (text) => {
  const [name, id] = text.split('+', 2);
  return [name, id, text.slice(name.length + id.length + 2)];
};

/**
 * The purpose of a key in a DID document, by its relationships: a key without any signs the log or webhooks.
 * Undefined for a revoked key, which no longer shows it.
 */
const purposeOf = (document, { id, revoked }) => {
  const isIn = (name) => Array.isArray(document[name]) && document[name].includes(id);
  if (isIn('assertionMethod')) return 'credential';
  if (isIn('capabilityDelegation') || isIn('capabilityInvocation')) return 'ucan';
  if (revoked !== undefined) return undefined;
  return String(id).includes('#webhook-') ? 'webhook' : 'log';
};

/**
 * Keys that a DID document names, or the answer of /api/identity/service-did, by their Multikey: what
 * for and until when they were in use, whether they were revoked, and below which size of the log they
 * still count.
 */
const trustedKeys = (fetched) => {
  const document = isObject(fetched.didDocument) ? fetched.didDocument : fetched;
  const listOf = (value) => (Array.isArray(value) ? value.filter(isObject) : []);
  const trusted = new Map();
  for (const method of listOf(document.verificationMethod)) {
    const { publicKeyMultibase, expires, revoked } = method;
    const purpose = purposeOf(document, method);
    trusted.set(publicKeyMultibase, { purpose, until: expires, revoked: revoked !== undefined });
  }
  for (const key of listOf(fetched.retired_keys)) {
    trusted.set(key.publicKeyMultibase, {
      purpose: key.purpose ?? trusted.get(key.publicKeyMultibase)?.purpose,
      until: key.valid_until ?? undefined,
      revoked: key.revoked === true,
      trustedLogSize: key.trusted_log_size ?? 0,
    });
  }
  const logKey = fetched.log_public_key;
  if (typeof logKey === 'string') trusted.set(logKey, { purpose: 'log', revoked: false });
  const webhookKey = fetched.webhook_public_key;
  if (trusted.has(webhookKey)) trusted.set(webhookKey, { purpose: 'webhook', revoked: false });
  return { did: document.id, trusted, namesLogKey: logKey !== undefined || isWeb(document.id) };
};

const isWeb = (did) => typeof did === 'string' && did.startsWith('did:web:');

/** A bare DID document does not say below which size of the log a revoked key still counts. */
const revokedHint =
  '; what it signed before may still count: give the answer of /api/identity/service-did instead';

const revokedSource = ({ trustedLogSize }) =>
  `as the DID document says${trustedLogSize === undefined ? revokedHint : ''}`;

/** Whether the key of a former did:key says that its service goes on as the one that the caller fetched. */
const continues = ({ didDocument, former_dids: former }, did) =>
  Array.isArray(former) &&
  former
    .map((one) => openContinuation(one?.statement))
    .some(
      (said) =>
        said?.iss === did && said.sub === didDocument?.id && said.formerOrigin === undefined,
    );

/** Whether a document that the caller fetched from a former did:web names a key for credentials. */
const isNamedBy = (former, did, { publicKeyMultibase }) =>
  isWeb(did) &&
  former.some((fetched) => {
    const known = trustedKeys(fetched);
    const key = known.trusted.get(publicKeyMultibase);
    return known.did === did && key?.purpose === 'credential' && !key.revoked;
  });

/**
 * Compares who signed with the DID of a document that the caller fetched: a service may name the keys of others as its
 * own. `unproven`: the other DIDs of which nothing shows that the service had them: a did:web does not determine its
 * keys, so only its own document can show them, and a revoked key makes no statement. `given`: those whose own document
 * shows that they signed; that they were the service is what the caller says by giving it.
 */
const checkIssuers = (bundle, result, { document: fetched, former }, { did, trusted }) => {
  const { find, credentials, statement } = result;
  const kind = 'wrong service';
  const unproven = new Set();
  const given = new Set();
  const signed = [...credentials.values()].flatMap(({ payload, key, again }) =>
    payload ? [{ payload, key }, ...(again ? [again] : [])] : [],
  );
  const pairs = signed.map(({ payload: { iss }, key }) => [
    `${iss} ${key.publicKeyMultibase}`,
    [iss, key],
  ]);
  for (const [issuer, key] of new Map(pairs).values()) {
    const { publicKeyMultibase } = key;
    if (issuer === did || continues(fetched, issuer)) continue;
    if (isNamedBy(former, issuer, key)) {
      given.add(issuer);
      continue;
    }
    if (!issuer.startsWith('did:key:') || trusted.get(publicKeyMultibase)?.revoked) {
      unproven.add(issuer);
      continue;
    }
    const hint = Array.isArray(fetched.former_dids)
      ? ''
      : '; if that was an earlier name of the service, give the answer of /api/identity/service-did';
    const detail = `there are credentials of ${issuer}, whose key does not say that it goes on as ${did}`;
    find(kind, undefined, `${detail}${hint}`);
  }
  // The service states the length for each bundle anew, so it does that under its name of then.
  if (statement && statement.payload.iss !== bundle.service.did) {
    const { iss } = statement.payload;
    find(kind, undefined, `the statement of the length is one of ${iss}, not of the service`);
  }
  return { unproven: [...unproven], given: [...given] };
};

/** Compares keys and times with a document that the caller fetched. Returns lines to print. */
const checkDocument = (bundle, result, { document: fetched, former }) => {
  const known = trustedKeys(fetched);
  const { did, trusted, namesLogKey } = known;
  const { find, credentials, checkpoint, kept, statement } = result;
  const kind = 'wrong service';
  const issuers = checkIssuers(bundle, result, { document: fetched, former }, known);
  result.unproven = issuers.unproven;
  const isFormer =
    isWeb(bundle.service.did) && former.some((one) => trustedKeys(one).did === bundle.service.did);
  if (did !== bundle.service.did && !isFormer && !continues(fetched, bundle.service.did)) {
    find(
      kind,
      undefined,
      `the DID document is the one of ${did}, the bundle is one of ${bundle.service.did}`,
    );
  }
  const unknown = new Set();
  const trustedKey = ({ publicKeyMultibase }, purpose, what) => {
    const known = trusted.get(publicKeyMultibase);
    if (known && (known.purpose ?? purpose) === purpose) return known;
    if (!unknown.has(publicKeyMultibase)) {
      const why = known
        ? 'is not for that, as the DID document says'
        : 'the DID document does not name; if yours is older than this bundle, the key may be newer: fetch it again';
      find(kind, undefined, `${what} signed by the key ${publicKeyMultibase}, which ${why}`);
      unknown.add(publicKeyMultibase);
    }
    return undefined;
  };
  for (const [sequence, { payload, subject, key, again }] of credentials) {
    const known = subject && trustedKey(key, 'credential', 'credentials are');
    if (!known) continue;
    const vouched =
      again && trustedKey(again.key, 'credential', 'credentials are vouched for anew,');
    if (!countsAt(known, subject.logIndex + 1) && (!vouched || vouched.revoked)) {
      find('unknown key', sequence, `its key was revoked, ${revokedSource(known)}`);
    } else if (
      !known.revoked &&
      known.until !== undefined &&
      payload.nbf > seconds(known.until) + keySkewSeconds
    ) {
      find('unknown key', sequence, 'its key was out of use by then, as the DID document says');
    }
  }
  const stating =
    statement && trustedKey(statement.key, 'credential', 'the statement of the length is');
  const isLate =
    stating?.until !== undefined && statement.payload.iat > seconds(stating.until) + keySkewSeconds;
  if (stating?.revoked || isLate) {
    const why = stating.revoked ? 'revoked' : 'out of use by then';
    const detail = `the statement of the length is by a key that was ${why}, as the DID document says`;
    find('truncated', undefined, detail);
  }
  const checkpoints = [
    [checkpoint, 'the checkpoint is'],
    [kept, 'the checkpoint that you gave is'],
  ];
  for (const [one, what] of checkpoints) {
    const known = one?.key && namesLogKey && trustedKey(one.key, 'log', what);
    if (known && !countsAt(known, one.size)) {
      const detail = `${what} signed by a key that was revoked, ${revokedSource(known)}`;
      find('checkpoint', undefined, detail);
    }
  }
  return [
    ...issuers.given.map(
      (issuer) =>
        `Issuer: ${issuer} signed, as its document shows. That it is the same service is what you and ${did} say.`,
    ),
    ...result.unproven.map(
      (issuer) =>
        `Issuer: there are credentials of ${issuer}. Only ${did} says that this was its name; ${isWeb(issuer) ? 'if you know that it was, give the document of this DID as --former-document' : 'check it elsewhere'}.`,
    ),
    ...(namesLogKey || checkpoint.error
      ? []
      : ['Log: its key is the one of this bundle; give --log-key, too.']),
  ];
};

const checkDid = (bundle, result, did) => {
  const { find, credentials, statement } = result;
  const kind = 'wrong service';
  const signed = [...credentials.values(), ...(statement ? [statement] : [])].filter(
    ({ key }) => key,
  );
  const issuers = new Set(signed.map(({ payload }) => payload.iss));
  for (const issuer of issuers) {
    if (issuer !== did) find(kind, undefined, `there are signatures of ${issuer}, not of ${did}`);
  }
  if (bundle.service.did !== did) {
    find(kind, undefined, `the bundle is one of ${bundle.service.did}, not of ${did}`);
  }
  if (!did.startsWith('did:key:')) return;
  const keys = new Set(signed.map(({ key }) => key.publicKeyMultibase));
  for (const key of keys) {
    if (did !== `did:key:${key}`) find(kind, undefined, `the key ${key} is not that of ${did}`);
  }
};

/** `isLengthProven`: whether the log shows that the service stated the length. */
const checkLogKey = (result, logKey) => {
  const { find, checkpoint, credentials, statement } = result;
  const signer = checkpoint.key && ed25519OfMultikey(checkpoint.key.publicKeyMultibase);
  if (signer && !signer.equals(logKey)) {
    find('wrong service', undefined, 'the checkpoint is signed by another key than --log-key');
  }
  // The log vouches for its credentials, and so for their keys.
  const vouched = new Set([...credentials.values()].map(({ key }) => key?.publicKeyMultibase));
  return { isLengthProven: !statement || vouched.has(statement.key.publicKeyMultibase) };
};

/** The hashes of a consistency proof as the service answers it. */
const readConsistency = ({ first, second, path }, older, newer) => {
  if (first !== older.size || second !== newer.size || !Array.isArray(path)) {
    throw new Unreadable(
      `--consistency is not a proof from ${older.size} to ${newer.size} credentials`,
    );
  }
  const hashes = path.map((text) => strictBase64(String(text)));
  return hashes.every((hash) => hash?.length === 32) ? hashes : [];
};

/** Compares the checkpoint of the bundle with one that the caller kept. Returns lines to print. */
const checkCheckpoint = ({ find, checkpoint, kept }, { consistency, logKey }) => {
  if (checkpoint.error) return [];
  const kind = 'checkpoint';
  if (kept.error) {
    find(kind, undefined, `the checkpoint that you gave does not count: ${kept.error}`);
    return [];
  }
  if (logKey !== undefined && !ed25519OfMultikey(kept.key.publicKeyMultibase)?.equals(logKey)) {
    find(
      'wrong service',
      undefined,
      'the checkpoint that you gave is signed by another key than --log-key',
    );
  }
  const [older, newer] = kept.size <= checkpoint.size ? [kept, checkpoint] : [checkpoint, kept];
  const needsProof = older.size !== newer.size && older.size > 0;
  if (needsProof && consistency === undefined) {
    const query = `first=${older.size}&second=${newer.size}`;
    throw new Unreadable(
      `the checkpoints have ${older.size} and ${newer.size} credentials: fetch /api/identity/log/proof/consistency?${query} from the service and give it as --consistency FILE`,
    );
  }
  const proof = needsProof ? readConsistency(consistency, older, newer) : [];
  if (!isConsistent(older, newer, proof)) {
    find(
      kind,
      undefined,
      `the log did not only grow from ${older.size} to ${newer.size} credentials: it was rewritten, or there are two`,
    );
    return [];
  }
  return [`Log: grew from ${older.size} to ${newer.size} credentials, and nothing in it changed.`];
};

/** Compares with what the caller pinned. Returns lines to print; adds findings. */
const checkPins = (bundle, result, { did, document, former, logKey }) => {
  const lines = [];
  if (did !== undefined) checkDid(bundle, result, did);
  if (document !== undefined) lines.push(...checkDocument(bundle, result, { document, former }));
  const isKeyGiven = document !== undefined || did?.startsWith('did:key:');
  if (logKey !== undefined) {
    const { isLengthProven } = checkLogKey(result, logKey);
    result.isLengthUnproven = !isLengthProven && !isKeyGiven;
    if (result.isLengthUnproven) {
      lines.push(
        'Length: stated by a key that the log does not vouch for; give --did-document, too.',
      );
    }
  }
  if (isKeyGiven || logKey !== undefined) {
    return ['Keys: checked against what you gave.', ...lines];
  }
  return [
    did === undefined
      ? 'Keys: from this bundle, so its maker chose them. Give --did-document or --log-key to check that the service signed.'
      : `Keys: the name is ${did}, as you gave; the keys are those of this bundle. Fetch its DID document and give --did-document, or give --log-key.`,
  ];
};

// ---------------------------------------------------------------- report

/** A line of the report: what comes from the bundle neither ends it nor moves the cursor. */
const plain = (line) =>
  line.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`,
  );

/** Whether the last credential that counts says that this is a test letter. */
const isTest = (credentials) => {
  const signed = [...credentials].filter(([, { subject }]) => subject?.test !== undefined);
  const last = Math.max(...signed.map(([sequence]) => sequence));
  return credentials.get(last)?.subject.test === true;
};

const report = (bundle, result) => {
  const { history, service } = bundle;
  const { events, credentials, checkpoint, stated, expected, faulty } = result;
  const lines = [`Letter ${history.letter_id}, service ${service.did}`];
  if (isTest(credentials))
    lines.push('TEST: this is a test letter. Nothing was printed or posted.');
  lines.push('');
  const row = (...cells) =>
    lines.push(
      cells
        .map((cell, index) => String(cell).padEnd([5, 10, 25, 34, 12][index] ?? 0))
        .join(' ')
        .trimEnd(),
    );
  row('no', 'position', 'time', 'event', 'status', 'verified');
  for (let sequence = 1; sequence <= expected; sequence++) {
    const event = events.get(sequence)?.event;
    const { subject, key, again } = credentials.get(sequence) ?? {};
    const anew = again && key.state === 'revoked';
    row(
      sequence,
      event?.position ?? '-',
      event ? (metadataOf(event).at ?? '-') : '-',
      event ? eventName(event.type) : (subject?.eventType ?? '-'),
      subject?.status ?? '-',
      faulty.has(sequence) || !subject || !event ? 'NO' : anew ? 'yes, attested anew' : 'yes',
    );
  }
  lines.push('');
  if (!checkpoint.error) lines.push(`Log: ${service.log_origin}, ${checkpoint.size} credentials`);
  if (stated?.positionsHash === undefined) {
    lines.push('Positions: no statement covers them; nothing else depends on them.');
  }
  if (stated) {
    lines.push(`Stated: ${counted(stated.events)} on ${new Date(stated.iat * 1000).toISOString()}`);
  }
  return lines;
};

const readText = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Unreadable(`${file} cannot be read`);
  }
};

const readObject = (file, what) => {
  const value = readJson(readText(file), file);
  if (!isObject(value)) throw new Unreadable(`${file} is not ${what}`);
  return value;
};

/** A DID document, or the answer of /api/identity/service-did. An error that was saved instead is refused. */
const readDocument = (file) => {
  const value = readObject(file, 'a DID document');
  const { id } = isObject(value.didDocument) ? value.didDocument : value;
  if (typeof id !== 'string') {
    const detail = typeof value.detail === 'string' ? `: ${value.detail}` : '';
    throw new Unreadable(`${file} is not a DID document${plain(detail)}`);
  }
  return value;
};

/** A checkpoint as a note, or as JSON that has the note. */
const readNote = (file) => {
  const text = readText(file);
  if (!text.startsWith('{')) return text;
  const { note } = readObject(file, 'a checkpoint');
  if (typeof note !== 'string') throw new Unreadable(`${file} is not a checkpoint`);
  return note;
};

const readOptions = (args) => {
  const options = { path: undefined, former: [] };
  const values = {
    '--did': 'did',
    '--did-document': 'document',
    '--former-document': 'former',
    '--log-key': 'logKey',
    '--checkpoint': 'kept',
    '--consistency': 'consistency',
  };
  for (let index = 0; index < args.length; index++) {
    const arg = args[index];
    const name = Object.hasOwn(values, arg) ? values[arg] : undefined;
    if (name !== undefined) {
      const value = args[++index];
      if (value === undefined || value.startsWith('--'))
        throw new Unreadable(`${arg} needs a value\n${usage}`);
      if (name === 'former') options.former.push(readDocument(value));
      else options[name] = value;
    } else if (arg.startsWith('-') || options.path !== undefined) {
      throw new Unreadable(`${arg} is not understood\n${usage}`);
    } else options.path = arg;
  }
  options.path ??= dirname(fileURLToPath(import.meta.url));
  if (options.document !== undefined) {
    options.document = readDocument(options.document);
  }
  if (options.former.length > 0 && options.document === undefined) {
    throw new Unreadable(`--former-document needs --did-document\n${usage}`);
  }
  if (options.consistency !== undefined) {
    options.consistency = readObject(options.consistency, 'a consistency proof');
  }
  if (options.kept !== undefined) options.kept = readNote(options.kept);
  if (options.logKey !== undefined) {
    options.logKey = rawOfLogKey(options.logKey);
    if (!options.logKey)
      throw new Unreadable('--log-key is neither a Multikey nor a verifier key of Ed25519');
  }
  return options;
};

const main = () => {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    console.log(usage);
    return 0;
  }
  const options = readOptions(args);
  const bundle = readBundle(options.path);
  const result = judge(bundle);
  if (options.kept !== undefined) result.kept = openKeptCheckpoint(options.kept, bundle.service);
  const trust = checkPins(bundle, result, options);
  if (result.kept) trust.push(...checkCheckpoint(result, options));
  console.log([...report(bundle, result), ...trust, ''].map(plain).join('\n'));
  const { findings } = result;
  if (findings.length === 0) {
    const { unproven = [], isLengthUnproven = false } = result;
    const doubts = [
      ...unproven.map((issuer) => `that ${issuer} was this service`),
      ...(isLengthUnproven ? ['that the service stated the length: the end may be cut off'] : []),
    ];
    const test = isTest(result.credentials) ? ' TEST letter.' : '';
    if (doubts.length === 0) {
      console.log(`OK: everything holds.${test}`);
      return 0;
    }
    console.log(`NOT PROVEN: everything holds, but nothing shows who signed.${test}`);
    for (const doubt of doubts) console.log(plain(`  Not proven: ${doubt}.`));
    return 3;
  }
  console.log(`WRONG: ${findings.length} ${findings.length === 1 ? 'deviation' : 'deviations'}.`);
  for (const { kind, place, detail } of findings) {
    console.log(plain(`  ${kind}${place === undefined ? '' : ` at ${place}`}: ${detail}`));
  }
  return 1;
};

try {
  process.exitCode = main();
} catch (error) {
  console.error(
    error instanceof Unreadable ? error.message : `the bundle cannot be read: ${error.message}`,
  );
  process.exitCode = 2;
}
