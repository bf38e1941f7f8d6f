import type { Db } from '../ground/db.ts';
import type { Limits } from '../limits/table.ts';
import type { CallerRef } from '../limits/turn.ts';
import type { Certificate } from '../presenters/certificate.ts';
import type { LetterPersonal } from '../presenters/letter.ts';
import type { Attestation } from '../presenters/proof.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import type { CertificateLinks } from './certificate-links.ts';

export type LetterReadPorts = {
  db: Db;
  limits: Limits;
  /** When a letter was handed over or will be, RFC 3339: the day that it is dated. */
  expectedRelease: (record: LetterRecord) => string;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
  /** A letter by id, of any owner. Concurrent lookups are one query. */
  letterById: (letterId: string) => Promise<LetterRecord | undefined>;
  /** Opens the personal parts of letters; those whose data key is gone are left out. */
  openLetters: (records: LetterRecord[]) => Promise<Map<string, LetterPersonal>>;
  /** Opens one letter, with its text or HTML wherever that lies; undefined once it was erased. */
  openWhole: (record: LetterRecord) => Promise<LetterPersonal | undefined>;
  /**
   * A page of a letter as it is printed, as PNG with the zones drawn.
   * @throws AppError not_found without such a page, overloaded
   */
  preview: (
    letter: {
      letterId: string;
      terms: LetterRecord['doc']['terms'];
      personal: LetterPersonal;
      at: string;
      /** The caller that looks at it. */
      by: CallerRef;
    },
    page: number,
  ) => Promise<Buffer>;
  /** The whole letter as it is printed, as PDF. @throws AppError overloaded */
  render: (letter: Parameters<LetterReadPorts['preview']>[0]) => Promise<Buffer>;
  /** Credentials of a letter's events, and their place in the log. */
  attest: (letterId: string) => Promise<Attestation>;
  /** A certificate as PDF; the same one gives the same bytes. */
  renderCertificate: (certificate: Certificate, by: CallerRef) => Promise<Buffer>;
  certificateLinks: Pick<CertificateLinks, 'pathOf'>;
  /** As certificates name the service and its operator. */
  serviceName: { name: string; contact: string | undefined };
  /** Where the service is reached, without a slash at its end. */
  baseUrl: string;
};
