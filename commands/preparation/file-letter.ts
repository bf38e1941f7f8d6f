import { randomUUID } from 'node:crypto';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { hashTexts } from '../../ground/hash-texts.ts';
import { drawRandom } from '../../ground/random.ts';
import { currentLayout } from '../../postal/geometry.ts';
import type { CheckedDocument, LetterDocument } from './check-document.ts';
import type { Warning } from './check-letter.ts';
import { inlineBytes, type LetterFile, type LetterFiles } from './letter-files.ts';
import type { KeptDocument } from './letter-input.ts';
import { fileStationery, type Stationery } from './stationery.ts';

/** Where a letter's document is said to be. */
export type Filed = {
  terms: Pick<
    LetterTerms,
    'commitment' | 'kind' | 'coverPage' | 'addressInDocument' | 'layout' | 'blobs'
  >;
  personal: Pick<
    LetterPersonal,
    'salt' | 'content' | 'contentBlob' | 'originalBlob' | 'stationery'
  >;
  files: LetterFile[];
};

type Printable = { kind: 'text'; text: string } | LetterDocument;

const aboutHtml: ReadonlySet<string> = new Set([
  'html_removed',
  'document_fixed',
  'small_type',
  'image_shrunk',
  'fixed_element',
  'hidden_text',
  'empty_page',
]);

const isAboutDocument = ({ pointer, code }: Warning): boolean =>
  pointer.startsWith('/document') || (aboutHtml.has(code) && !pointer.startsWith('/to_'));

const isAboutFix = ({ code }: Warning): boolean => code === 'document_fixed';

/** Whether the document was made to fit, as its sender had asked. */
export const wasMadeToFit = ({ originalBlob, warnings }: LetterPersonal): boolean =>
  originalBlob !== undefined || warnings.some(isAboutFix);

/**
 * The findings about a document: from when it was accepted, or from a new check on the sheets of another country. A PDF
 * that was made to fit stays as it was made.
 */
export const documentWarnings = (
  { terms, personal }: KeptDocument,
  country: string,
  found: Warning[],
): Warning[] => {
  const before = personal.warnings.filter(isAboutDocument);
  if (terms.country === country) return before;
  return terms.kind === 'pdf' ? [...before.filter(isAboutFix), ...found] : found;
};

export const filedAsBefore = ({ terms, personal }: KeptDocument): Filed => {
  const { commitment, kind, coverPage, addressInDocument, layout, blobs } = terms;
  const { salt, content, contentBlob, originalBlob, stationery } = personal;
  return {
    terms: {
      commitment,
      ...(kind === undefined ? {} : { kind }),
      ...(coverPage === undefined ? {} : { coverPage }),
      ...(addressInDocument === undefined ? {} : { addressInDocument }),
      ...(layout === undefined ? {} : { layout }),
      ...(blobs === undefined ? {} : { blobs }),
    },
    personal: {
      salt,
      ...(content === undefined ? {} : { content }),
      ...(contentBlob === undefined ? {} : { contentBlob }),
      ...(originalBlob === undefined ? {} : { originalBlob }),
      ...(stationery === undefined ? {} : { stationery }),
    },
    files: [],
  };
};

const givenBy = (content: Printable): string | Buffer => {
  if (content.kind === 'pdf') return content.pdf;
  return content.kind === 'html' ? content.html : content.text;
};

/** Decides where the document goes. The commitment is to what the sender gave, fixed or not. */
export const fileLetter = async (
  letterId: string,
  content: Printable,
  checked: Pick<CheckedDocument, 'fixed' | 'coverPage' | 'addressInDocument'> | undefined,
  stationery: Stationery,
  { commitment: commitTo }: Pick<LetterFiles, 'commitment'>,
): Promise<Filed> => {
  const { stationery: head, files: logos } = fileStationery(letterId, stationery);
  const logoKeys = logos.map(({ key }) => key);
  const given = givenBy(content);
  const salt = drawRandom(16).toString('base64url');
  const commitment =
    typeof given === 'string' ? hashTexts(salt, given) : await commitTo(salt, given);
  const layout = { layout: currentLayout };
  const kind = content.kind === 'text' ? {} : { kind: content.kind };
  if (typeof given === 'string' && Buffer.byteLength(given) <= inlineBytes) {
    return {
      terms: {
        commitment,
        ...kind,
        ...layout,
        ...(logoKeys.length > 0 ? { blobs: logoKeys } : {}),
      },
      personal: { salt, content: given, stationery: head },
      files: logos,
    };
  }
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  const fileOf = (file: Buffer): LetterFile => ({
    key: `${letterId}-${randomUUID()}`,
    bytes: file,
  });
  const printed = fileOf(checked?.fixed ?? bytes);
  const original = checked?.fixed === undefined ? undefined : fileOf(bytes);
  const files = [printed, ...(original ? [original] : []), ...logos];
  return {
    terms: {
      commitment,
      ...kind,
      ...(checked?.coverPage ? { coverPage: true } : {}),
      ...(checked?.addressInDocument ? { addressInDocument: true } : {}),
      ...layout,
      blobs: files.map(({ key }) => key),
    },
    personal: {
      salt,
      contentBlob: printed.key,
      ...(original ? { originalBlob: original.key } : {}),
      stationery: head,
    },
    files,
  };
};
