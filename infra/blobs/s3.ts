import { setTimeout as wait } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { Agent } from 'undici';
import { assertBlobKey, type BlobStore } from '../../commands/preparation/blob-store.ts';
import { backoffMs } from '../../ground/backoff.ts';
import { digestBytes } from '../../ground/digest-bytes.ts';

type S3Options = {
  /** Absent: Amazon's of the region. */
  endpoint?: string | undefined;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`. */
  forcePathStyle: boolean;
  /** Of one attempt. */
  timeoutMs?: number;
};

/** `code` is that of the S3 protocol (`AccessDenied`, `NoSuchBucket`, …), or of the connection. */
export class S3Error extends Error {
  readonly status: number | undefined;
  readonly code: string;

  constructor(action: string, code: string, more: { status?: number; cause?: unknown }) {
    const answered = more.status === undefined ? code : `${more.status} ${code}`;
    super(`the blob store failed to ${action}: ${answered}`, { cause: more.cause });
    this.name = 'S3Error';
    this.status = more.status;
    this.code = code;
  }
}

type Request = {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  url: URL;
  body?: Uint8Array;
  action: string;
};
type Answer = { status: number; body: Buffer; lastModified: string; length: number };

const attempts = 4;
const retry = { firstMs: 150, mostMs: 600, jitter: 2 / 3 };
const emptyBody = new Uint8Array();

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** The texts of the elements of one name. S3 answers in flat XML without attributes on them. */
const texts = (xml: string, element: string): string[] =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map((match) =>
    (match[1] ?? '').replaceAll(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole),
  );

const failure = ({ status, body }: Answer, action: string): S3Error => {
  const [code = 'unknown error'] = texts(body.toString('utf8'), 'Code');
  return new S3Error(action, code, { status });
};

const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
};

const isWorthRepeating = (status: number): boolean => status >= 500 || status === 429;

/** Where the objects of the bucket lie, with a slash at its end. */
export const bucketUrl = ({
  endpoint,
  region,
  bucket,
  forcePathStyle,
}: Pick<S3Options, 'endpoint' | 'region' | 'bucket' | 'forcePathStyle'>): URL => {
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const path = base.pathname.replace(/\/$/, '');
  if (forcePathStyle) base.pathname = `${path}/${bucket}/`;
  else {
    base.hostname = `${bucket}.${base.hostname}`;
    base.pathname = `${path}/`;
  }
  return base;
};

/** Sends signed requests (AWS Signature V4, by aws4fetch); every one may be repeated. */
const createSender = (options: S3Options) => {
  const { region, accessKeyId, secretAccessKey, timeoutMs = 15_000 } = options;
  const agent = new Agent({ connect: { timeout: timeoutMs } });

  const sendOnce = async ({ method, url, body = emptyBody }: Request): Promise<Answer> => {
    const signed = await new AwsV4Signer({
      method,
      url: url.href,
      headers: { 'x-amz-content-sha256': (await digestBytes(body)).toString('hex') },
      service: 's3',
      region,
      accessKeyId,
      secretAccessKey,
    }).sign();
    const answer = await agent.request({
      origin: url.origin,
      path: `${url.pathname}${url.search}`,
      method,
      headers: Object.fromEntries(signed.headers),
      body: method === 'PUT' ? body : null,
      signal: AbortSignal.timeout(timeoutMs),
    });
    return {
      status: answer.statusCode,
      body: Buffer.from(await answer.body.arrayBuffer()),
      lastModified: String(answer.headers['last-modified'] ?? ''),
      length: Number(answer.headers['content-length'] ?? Number.NaN),
    };
  };

  return async (request: Request): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await sendOnce(request);
        if (!isWorthRepeating(answer.status) || attempt === attempts) return answer;
      } catch (cause) {
        if (attempt === attempts) throw new S3Error(request.action, codeOf(cause), { cause });
      }
      await wait(backoffMs(attempt, retry));
    }
  };
};

/**
 * Blobs in a bucket that speaks the S3 protocol (Amazon, MinIO, R2, Ceph, …). Versioning of the bucket
 * must be off: a delete of a versioned object keeps its bytes.
 * @throws S3Error from every operation, after four attempts where the fault may pass
 */
export function createS3BlobStore(options: S3Options): BlobStore {
  const send = createSender(options);
  const address = bucketUrl(options);
  const urlOf = (key: string): URL => {
    assertBlobKey(key);
    return new URL(key, address);
  };

  /** Undefined where there is no such object; otherwise what `fact` finds in the answer, which must be a number. */
  const look = async (key: string, fact: (answer: Answer) => number) => {
    const action = 'look at a document';
    const answer = await send({ method: 'HEAD', url: urlOf(key), action });
    // An answer to HEAD has no body that would tell a missing key from a missing bucket.
    if (answer.status === 404) return undefined;
    const found = fact(answer);
    if (answer.status !== 200 || Number.isNaN(found)) throw failure(answer, action);
    return found;
  };

  return {
    async put(key, body) {
      const action = 'put a document';
      const answer = await send({ method: 'PUT', url: urlOf(key), body, action });
      if (answer.status !== 200) throw failure(answer, action);
    },
    async get(key) {
      const action = 'get a document';
      const answer = await send({ method: 'GET', url: urlOf(key), action });
      if (answer.status === 200) return answer.body;
      const error = failure(answer, action);
      if (error.code === 'NoSuchKey') return undefined;
      throw error;
    },
    async delete(key) {
      const action = 'delete a document';
      const answer = await send({ method: 'DELETE', url: urlOf(key), action });
      if (answer.status === 204 || answer.status === 200) return;
      const error = failure(answer, action);
      if (error.code !== 'NoSuchKey') throw error;
    },
    async storedAt(key) {
      return look(key, ({ lastModified }) => Date.parse(lastModified));
    },
    async sizeOf(key) {
      return look(key, ({ length }) => length);
    },
    async *list(prefix) {
      const action = 'list documents';
      let token: string | undefined;
      do {
        const url = new URL(address);
        url.searchParams.set('list-type', '2');
        url.searchParams.set('prefix', prefix);
        if (token !== undefined) url.searchParams.set('continuation-token', token);
        const answer = await send({ method: 'GET', url, action });
        if (answer.status !== 200) throw failure(answer, action);
        const xml = answer.body.toString('utf8');
        yield* texts(xml, 'Key');
        [token] = texts(xml, 'NextContinuationToken');
      } while (token !== undefined);
    },
  };
}
