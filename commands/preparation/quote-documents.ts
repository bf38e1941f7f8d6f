/**
 * The document of a dry run, kept while its quote is valid so that its pages can be viewed. Opening it needs
 * both the service's key and the secret in the quote id. The service does not keep that secret: in a copy of the
 * store that outlives the quote, the document can no longer be read.
 */
import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { documentStoreRefusal } from '../../contract/store-refusals.ts';
import type { LetterTerms } from '../../events/letter.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import { localeOf } from '../../postal/stationery.ts';
import type { CountryCode } from '../../postal/types.ts';
import type { BlobStore, ClaimStorage } from './blob-store.ts';
import type { FileWork } from './file-work.ts';
import type { Stationery } from './stationery.ts';

/** The letterhead that was asked for; `logo` in base64. */
export type QuotedStationery = {
  locale: string;
  date?: string | false;
  footer?: string;
  logo?: string;
};

export const quotedStationery = (
  { language, date, footer, logo }: Stationery,
  sender: CountryCode,
): QuotedStationery => ({
  locale: localeOf(language, sender),
  ...(date === undefined ? {} : { date }),
  ...(footer === undefined ? {} : { footer }),
  ...(logo === undefined ? {} : { logo: logo.toString('base64') }),
});

/** The input to render the document as it would be printed. */
export type QuotedDocument = {
  accountId: string;
  /** When its quote expires, RFC 3339. */
  expiresAt: string;
  terms: Pick<
    LetterTerms,
    | 'country'
    | 'service'
    | 'intent'
    | 'envelope'
    | 'test'
    | 'kind'
    | 'coverPage'
    | 'addressInDocument'
    | 'layout'
    | 'pages'
  > &
    /** Absent in earlier quotes, and where the document was refused. */
    Partial<Pick<LetterTerms, 'color'>>;
  /** Address lines as they are printed; a dash where the quote has no addresses. */
  to: string[];
  from: string[];
  reference?: string | undefined;
  /** Absent in earlier quotes. */
  stationery?: QuotedStationery;
  /** When production would begin: its day is printed. */
  at: string;
  /** The document has errors and is shown as it came; its pages were not counted. */
  refused: boolean;
};

/** A name that nobody can guess, under which a document is stored. */
export const newSecret = (): string => randomBytes(16).toString('base64url');

export type QuoteDocuments = ReturnType<typeof createQuoteDocuments>;

/** Blobs of this prefix belong to quotes and are swept by their age. */
export const quoteBlobPrefix = 'quote-';

const lineFeed = 0x0a;

/** @param key 32 bytes, for this purpose only */
export const createQuoteDocuments = ({
  blobs,
  key,
  claim,
  work,
}: {
  blobs: Pick<BlobStore, 'put' | 'get'>;
  key: RotatingKey;
  claim: ClaimStorage;
  work: FileWork;
}) => {
  const blobOf = (secret: string): string =>
    quoteBlobPrefix + createHash('sha256').update(secret).digest('hex');
  const keyOf = (one: KeyObject | Buffer, secret: string): Buffer =>
    createHmac('sha256', one).update(secret).digest();
  /** Made before or after a rotation. */
  const open = async (sealed: Buffer, secret: string): Promise<Buffer> => {
    const [present, ...earlier] = key().map((one) => keyOf(one, secret));
    const blob = blobOf(secret);
    const first = work.open(sealed, present as Buffer, blob);
    return earlier.reduce(
      (opened, next) => opened.catch(() => work.open(sealed, next, blob)),
      first,
    );
  };

  return {
    /** Durable when it resolves. @throws AppError quota_exceeded; what the store throws */
    async put(secret: string, about: QuotedDocument, bytes: Buffer): Promise<void> {
      // JSON has no line feed of its own.
      const head = Buffer.from(`${JSON.stringify(about)}\n`);
      const blob = blobOf(secret);
      await claim(about.accountId, [{ key: blob, bytes: { length: head.length + bytes.length } }]);
      await blobs.put(blob, await work.seal([head, bytes], keyOf(key()[0], secret), blob));
    },

    /** Undefined where there is none (any more). @throws AppError store_unavailable */
    async get(secret: string): Promise<{ about: QuotedDocument; bytes: Buffer } | undefined> {
      const blob = blobOf(secret);
      const sealed = await blobs.get(blob).catch((error: unknown) => {
        throw documentStoreRefusal(error);
      });
      if (!sealed) return undefined;
      const plain = await open(sealed, secret);
      const end = plain.indexOf(lineFeed);
      return {
        about: JSON.parse(plain.subarray(0, end).toString()) as QuotedDocument,
        bytes: plain.subarray(end + 1),
      };
    },
  };
};
