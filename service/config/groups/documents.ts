/** How documents come, are printed to PDF, and are kept. */
import { resolve } from 'node:path';
import { baseUrl, flag, matching, oneOf, text } from '../config-parsers.ts';
import { chosen, group, plain, secret } from '../group.ts';

export const documents = group({
  settings: {
    CHROMIUM_PATH: plain(
      (value: string) => resolve(value),
      'shipped browser',
      'your own Chromium, for HTML letters',
    ),
    BROWSER_CHECK: plain(
      flag,
      '`true`',
      'starts the browser for HTML letters once after the start of the service, so that `/health` says whether it works; `false` leaves that to the first HTML letter',
    ),
    ALLOW_PRIVATE_FETCH: plain(
      flag,
      '`false`',
      'allows http and private addresses for `document_url` and webhooks; for development only',
    ),
    BLOB_STORE: plain(
      oneOf('file', 's3'),
      '`file`',
      'where documents are stored: `file` (`DATA_DIR/blobs`) or `s3`',
    ),
    S3_ENDPOINT: plain(baseUrl, "Amazon's", 'address of the S3 service'),
    S3_REGION: plain(text, 'required with `s3`'),
    S3_BUCKET: plain(
      matching(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be a bucket name'),
      'required with `s3`; a bucket without versioning, which would keep erased data',
    ),
    S3_ACCESS_KEY_ID: secret(text, 'required with `s3`'),
    S3_SECRET_ACCESS_KEY: secret(text, 'required with `s3`'),
    S3_FORCE_PATH_STYLE: plain(
      flag,
      '`false`',
      'uses `endpoint/bucket/key` instead of `bucket.endpoint/key`',
    ),
  },
  prefixes: ['S3_'],
  onlyWith: [{ name: 'S3_BUCKET', with: 'BLOB_STORE', is: 's3' }],
  needs: [
    chosen('BLOB_STORE', 's3', [
      'S3_BUCKET',
      'S3_REGION',
      'S3_ACCESS_KEY_ID',
      'S3_SECRET_ACCESS_KEY',
    ]),
  ],
  read: (set) => ({
    /** Absent: the browser that comes with the packages. */
    chromiumPath: set.CHROMIUM_PATH,
    browserCheck: set.BROWSER_CHECK ?? true,
    /** Lets callers name documents in our own network: for development only. */
    allowPrivateFetch: set.ALLOW_PRIVATE_FETCH ?? false,
    blobStore: set.BLOB_STORE ?? 'file',
    s3:
      set.BLOB_STORE === 's3'
        ? {
            endpoint: set.S3_ENDPOINT,
            region: set.S3_REGION ?? '',
            bucket: set.S3_BUCKET ?? '',
            accessKeyId: set.S3_ACCESS_KEY_ID ?? '',
            secretAccessKey: set.S3_SECRET_ACCESS_KEY ?? '',
            forcePathStyle: set.S3_FORCE_PATH_STYLE ?? false,
          }
        : undefined,
  }),
  describe: ({ allowPrivateFetch, blobStore, s3 }) => [
    ...(allowPrivateFetch
      ? [
          'ALLOW_PRIVATE_FETCH: documents are fetched from private addresses, and webhooks sent to them; not for production',
        ]
      : []),
    `documents: ${blobStore}${s3 ? ` bucket ${s3.bucket}` : ''}`,
  ],
});
