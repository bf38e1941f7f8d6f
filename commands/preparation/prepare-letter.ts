/** Preparing a letter: its terms, personal data and files, as its events keep them. */

import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { expectedDelivery } from '../../postal/delivery-window.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Offered } from '../../postal/services.ts';
import type { AgreedPrice } from './agreed-price.ts';
import type { Warning } from './check-letter.ts';
import type { ExaminePorts } from './examine.ts';
import { createExamineLetter, type Examined, type Owner } from './examine-letter.ts';
import { documentWarnings, type Filed, filedAsBefore, fileLetter } from './file-letter.ts';
import type { LetterFile, LetterFiles } from './letter-files.ts';
import type { KeptDocument, LetterContent, LetterInput } from './letter-input.ts';
import { createLetterTimes } from './letter-times.ts';
import { letterWarnings } from './letter-warnings.ts';
import type { PricedLetter } from './price-letter.ts';
import { fitWarnings } from './service-fit.ts';
import { askedStationery, dateInWords } from './stationery.ts';

export type PreparePorts = ExaminePorts & {
  files: LetterFiles;
  /** Keyed digest under which a personal value is found again. */
  indexOf: IndexOf;
};

type IndexOf = (kind: string, value: string) => string;

/** A letter that was checked and priced, before it is paid. */
export type Prepared = {
  terms: Omit<LetterTerms, 'price'>;
  personal: LetterPersonal;
  priced: PricedLetter;
  /** When it is released for production if it is sent now, or changed; epoch ms. */
  releasedAt: number;
  /** Documents to store before the letter's event. */
  files: LetterFile[];
};

/** Recipient names that give a test letter one of these outcomes. */
export const magicNames: Record<string, 'returned' | 'undeliverable' | 'print_failure'> = {
  'test returned': 'returned',
  'test undeliverable': 'undeliverable',
  'test print failure': 'print_failure',
};

/** A letter that exists keeps what was said when its intent was asked for, with its service. */
const intentWarnings = (
  input: LetterInput,
  priced: PricedLetter,
  agreed: AgreedPrice | undefined,
  kept: KeptDocument | undefined,
  offered: Offered,
): Warning[] => {
  if (kept?.terms.service === priced.service) {
    return kept.personal.warnings.filter(({ pointer }) => pointer === '/intent');
  }
  return input.intent === undefined ? (agreed?.aboutIntent ?? []) : fitWarnings(priced, offered);
};

const hashesOf = ({ reference, metadata }: LetterInput, indexOf: IndexOf) => {
  const pairs = Object.entries(metadata ?? {});
  return {
    ...(reference === undefined ? {} : { referenceHash: indexOf('reference', reference) }),
    ...(pairs.length === 0
      ? {}
      : { metadataHashes: pairs.map(([key, value]) => indexOf('metadata', `${key}\n${value}`)) }),
  };
};

const termsOf = (
  { color, duplex }: LetterInput,
  { accountId, test }: Owner,
  { to, priced, releasedAt }: Examined,
) => ({
  accountId,
  test,
  service: priced.service,
  intent: priced.intent,
  country: to.country,
  pages: priced.pages,
  sheets: priced.sheets,
  color,
  duplex,
  envelope: priced.envelope,
  expectedDelivery: expectedDelivery({ service: priced.service, releaseAt: releasedAt, to }),
});

/** Everything that is to be said about the letter to its sender. */
const warningsOf = (
  input: LetterInput,
  { to, from, content, priced, warnings, checked, stationery, releasedAt }: Examined,
  {
    aboutIntent,
    kept,
    filed,
  }: { aboutIntent: Warning[]; kept: KeptDocument | undefined; filed: Filed },
  metrics: FontMetrics,
): Warning[] => {
  const found = checked?.warnings ?? [];
  return letterWarnings(
    {
      to,
      kind: content.kind,
      placement: input.placement,
      service: priced.service,
      envelope: priced.envelope,
      aboutAddresses: warnings,
      aboutIntent,
      aboutDocument: kept ? documentWarnings(kept, to.country, found) : found,
      text: content.kind === 'text' ? content.text : undefined,
      stationery: kept ? askedStationery(kept.personal) : input.stationery,
      reference:
        input.reference === undefined
          ? undefined
          : {
              text: input.reference,
              date: dateInWords(stationery, releasedAt, {
                sender: from.country,
                recipient: to.country,
              }),
            },
      coverPage: filed.terms.coverPage ?? false,
    },
    metrics,
  );
};

/** The content of a letter that exists, for another check of it. */
const readContent = async (
  letterId: string,
  { terms, personal }: KeptDocument,
  files: LetterFiles,
): Promise<LetterContent> => {
  const { content, contentBlob } = personal;
  const stored = contentBlob === undefined ? undefined : await files.get(letterId, contentBlob);
  if (terms.kind === 'pdf') return { kind: 'pdf', source: stored ?? Buffer.alloc(0) };
  const text = stored?.toString('utf8') ?? content ?? '';
  return terms.kind === 'html' ? { kind: 'html', html: text } : { kind: 'text', text };
};

export type PrepareLetter = ReturnType<typeof createPrepareLetter>;

/** Checks and prices letters. */
export const createPrepareLetter = (ports: PreparePorts) => {
  const { metrics, indexOf, files } = ports;
  const check = createExamineLetter(ports);

  /** Checks and prices a letter, and says all that is kept of it. */
  const prepare = async (
    input: LetterInput,
    owner: Owner,
    releaseAt: number,
    agreed?: AgreedPrice,
    kept?: KeptDocument,
  ): Promise<Prepared> => {
    const letter = await check(input, owner, releaseAt, agreed, kept);
    const { to, from, content, stationery, priced, checked, releasedAt } = letter;
    const { reference, metadata, sendDate } = input;
    const filed = kept
      ? filedAsBefore(kept)
      : await fileLetter(owner.letterId, content, checked, stationery, files);
    if (reference !== undefined) await metrics.shaping?.load([reference]);
    const aboutIntent = intentWarnings(input, priced, agreed, kept, ports.prices().services);
    return {
      priced,
      releasedAt,
      terms: {
        ...termsOf(input, owner, letter),
        ...filed.terms,
        ...(sendDate === undefined ? {} : { sendDate }),
        ...hashesOf(input, indexOf),
      },
      personal: {
        to,
        from,
        ...filed.personal,
        warnings: warningsOf(input, letter, { aboutIntent, kept, filed }, metrics),
        ...(reference === undefined ? {} : { reference }),
        ...(metadata === undefined ? {} : { metadata }),
      },
      files: filed.files,
    };
  };

  return {
    ...createLetterTimes(ports),
    check,
    prepare,
    contentOf: (letterId: string, kept: KeptDocument) => readContent(letterId, kept, files),
  };
};
