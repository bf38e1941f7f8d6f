import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { invalidField } from '../contract/refusals.ts';
import { Type } from '../ground/type.ts';
import type {
  CheckpointNote,
  CredentialLog,
  StoredCredential,
} from '../identity/credential-log.ts';
import { EncodingError, fromBase64Url } from '../identity/encoding.ts';
import { leafHash } from '../identity/merkle.ts';
import { parseTilePath, tileWidth, widthAt } from '../identity/tiles.ts';
import {
  CheckpointAnswer,
  ConsistencyAnswer,
  InclusionAnswer,
  LogSize,
  presentCheckpoint,
  presentConsistency,
  presentInclusion,
} from '../presenters/log.ts';

type LogPorts = {
  log: Pick<CredentialLog, 'checkpoint' | 'inclusion' | 'consistency' | 'tile' | 'byEventIds'> & {
    byHash(hash: Buffer): Promise<StoredCredential | undefined>;
  };
  /** The key that checkpoints are signed with, as verifiers of signed notes take it. */
  verifierKey: () => string;
};

const tag = 'Identity';
const text = 'text/plain';
const json = 'application/json';

const noSuchSize = (size: number): AppError =>
  new AppError(
    'not_found',
    `The log has ${size} leaves at its latest checkpoint. Ask for no more than that.`,
  );

const tooSmall = (index: number, size: number): AppError =>
  new AppError(
    'not_found',
    `A tree of size ${size} does not contain leaf ${index}. Ask for a size of ${index + 1} or more.`,
  );

const wrongQuery = (name: string, detail: string): AppError =>
  invalidField(`/query/${name}`, 'pattern', detail);

const hashPattern = '^sha-256:[A-Za-z0-9_-]{43}$';

const InclusionQuery = Type.Exact({
  index: Type.Optional(LogSize),
  credential_hash: Type.Optional(
    Type.String({ pattern: hashPattern, description: '`sha-256:` and the hash, base64url.' }),
  ),
  event_id: Type.Optional(Type.String({ format: 'uuid' })),
  size: Type.Optional(LogSize),
});

type Log = LogPorts['log'];

const latestOf = async (log: Log): Promise<CheckpointNote> => {
  const checkpoint = await log.checkpoint();
  if (!checkpoint) throw new AppError('not_found', 'The log has no leaf yet. Ask again later.');
  return checkpoint;
};

const decodeHash = (hash: string): Buffer => {
  try {
    return fromBase64Url(hash.slice('sha-256:'.length));
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw wrongQuery('credential_hash', error.message);
  }
};

const credentialNamed = async (
  log: Log,
  hash: string | undefined,
  eventId: string | undefined,
): Promise<StoredCredential | undefined> => {
  if (hash !== undefined) return log.byHash(decodeHash(hash));
  return eventId === undefined ? undefined : (await log.byEventIds([eventId]))[0];
};

const leafAt = async (log: Log, index: number): Promise<Buffer> => {
  const tileIndex = Math.floor(index / tileWidth);
  const place = index % tileWidth;
  const tile = await log.tile(0, tileIndex, place + 1);
  if (!tile) throw new Error(`leaf ${index} of the log is not there`);
  return tile.subarray(place * 32, (place + 1) * 32);
};

const checkpointOperation = ({ log, verifierKey }: LogPorts): AnyOperation =>
  operation({
    name: 'log_checkpoint',
    method: 'GET',
    path: '/api/identity/log/checkpoint',
    tag,
    summary: 'Get the latest signed checkpoint of the transparency log',
    description:
      'Gives the number of credentials and the root hash over them. Keep it: later checkpoints must be consistent with it.',
    access: 'public',
    input: {},
    responses: {
      200: { description: 'Checkpoint', schema: CheckpointAnswer, produces: [text, json] },
    },
    errors: ['not_found'],
    async handle({ accept }) {
      const checkpoint = await latestOf(log);
      const headers = { 'Cache-Control': 'no-cache' };
      if (accept === text) {
        return {
          body: Buffer.from(checkpoint.note),
          headers: { ...headers, 'Content-Type': `${text}; charset=utf-8` },
        };
      }
      return { body: presentCheckpoint(checkpoint, verifierKey()), headers };
    },
  });

const inclusionOperation = ({ log }: LogPorts): AnyOperation =>
  operation({
    name: 'log_inclusion_proof',
    method: 'GET',
    path: '/api/identity/log/proof/inclusion',
    tag,
    summary: 'Prove that a credential is in the log',
    description: 'Name the leaf by `index`, `credential_hash` or `event_id`.',
    access: 'public',
    input: { query: InclusionQuery },
    responses: { 200: { description: 'Audit path', schema: InclusionAnswer } },
    errors: ['not_found', 'validation_failed'],
    async handle({ query }) {
      const { credential_hash: hash, event_id: eventId } = query;
      if ([query.index, hash, eventId].filter((one) => one !== undefined).length !== 1) {
        throw wrongQuery('index', 'Send exactly one of index, credential_hash and event_id.');
      }
      const last = await latestOf(log);
      const size = query.size ?? last.size;
      const credential = await credentialNamed(log, hash, eventId);
      const index = query.index ?? credential?.logIndex;
      if (index === undefined) {
        throw new AppError(
          'not_found',
          'The log does not contain this credential. A credential that was just issued may take a moment to get there.',
        );
      }
      if (size > last.size || index >= last.size) throw noSuchSize(last.size);
      if (index >= size) throw tooSmall(index, size);
      const path = await log.inclusion(index, size);
      const leaf = credential ? leafHash(credential.jwt) : await leafAt(log, index);
      const checkpoint = size === last.size ? last : undefined;
      return { body: presentInclusion({ index, size, leafHash: leaf, path, checkpoint }) };
    },
  });

const consistencyOperation = ({ log }: LogPorts): AnyOperation =>
  operation({
    name: 'log_consistency_proof',
    method: 'GET',
    path: '/api/identity/log/proof/consistency',
    tag,
    summary: 'Prove that the log only grew between two checkpoints',
    description:
      'The answer contains the hashes that connect both tree roots (RFC 9162). With them you can check that no entry was changed or removed.',
    access: 'public',
    input: {
      query: Type.Exact({
        first: LogSize,
        second: Type.Optional({ ...LogSize, description: 'Default: the latest.' }),
      }),
    },
    responses: { 200: { description: 'Consistency proof', schema: ConsistencyAnswer } },
    errors: ['not_found', 'validation_failed'],
    async handle({ query }) {
      const last = await latestOf(log);
      const { first, second = last.size } = query;
      if (second > last.size) throw noSuchSize(last.size);
      if (first > second)
        throw wrongQuery('first', `first ${first} is larger than second ${second}.`);
      const path = await log.consistency(first, second);
      return { body: presentConsistency(first, second, path) };
    },
  });

/** A full tile never changes. */
const forGood = 'public, max-age=31536000, immutable';
/** A log that goes on from an earlier backup has other hashes at its end. Verifiers need a partial tile only for a while. */
const forAnHour = 'public, max-age=3600';

const tileOperation = ({ log }: LogPorts): AnyOperation =>
  operation({
    name: 'log_tile',
    method: 'GET',
    path: '/api/identity/log/tile/{tile}',
    severalSegments: true,
    tag,
    summary: 'Get a tile of the log: up to 256 hashes',
    description:
      'As in C2SP tlog-tiles: `<level>/<number>` with the number in groups of three digits (`x001/x234/067`), and `.p/<width>` for a partial tile. It contains only hashes; the credentials belong to their owners.',
    access: 'public',
    input: { params: Type.Object({ tile: Type.String({ maxLength: 64 }) }) },
    responses: {
      200: {
        description: 'Hashes, 32 bytes each',
        schema: Type.String(),
        produces: ['application/octet-stream'],
      },
    },
    errors: ['not_found'],
    async handle({ params }) {
      const named = parseTilePath(params.tile);
      const size = (await latestOf(log)).size;
      if (!named || named.width > widthAt(named, size)) {
        throw new AppError(
          'not_found',
          'The log has no such tile, or its tile is not yet that wide.',
        );
      }
      const body = await log.tile(named.level, named.index, named.width);
      if (!body) throw new Error(`tile ${params.tile} of the log is not there`);
      return {
        body,
        headers: { 'Cache-Control': named.width === tileWidth ? forGood : forAnHour },
      };
    },
  });

export const logOperations = (ports: LogPorts): AnyOperation[] => [
  checkpointOperation(ports),
  inclusionOperation(ports),
  consistencyOperation(ports),
  tileOperation(ports),
];
