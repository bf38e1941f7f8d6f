import { AppError, type FieldError, facts } from '../../contract/errors.ts';
import { limitError } from '../../limits/limit-error.ts';
import type { Limits } from '../../limits/table.ts';
import { fitRecipient, fitSender, textWidthMm } from '../../postal/address-block.ts';
import { checkAddress, formatAddressLines } from '../../postal/addresses/index.ts';
import { geometryOf, onDocument } from '../../postal/geometry.ts';
import type { FontMetrics } from '../../postal/line-breaker.ts';
import type { Envelope } from '../../postal/paper.ts';
import { findUnprintable, normalizeContent } from '../../postal/printable-text.ts';
import type { Address, AddressCheck, CountryCode, ServiceId } from '../../postal/types.ts';

export type Warning = { pointer: string; code: string; detail: string };

/** The sides of a letter for which errors in the form of the address become warnings. */
export type AcceptAsIs = Record<'to' | 'from', boolean>;

export const bothAsIs = (asIs: boolean): AcceptAsIs => ({ to: asIs, from: asIs });

const fieldNames: Record<keyof Address, string> = {
  name: 'name',
  company: 'company',
  line1: 'line1',
  line2: 'line2',
  city: 'city',
  state: 'state',
  postalCode: 'postal_code',
  country: 'country',
};

const hex = (codePoint: number): string =>
  `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}`;

const fieldName = (side: 'to' | 'from', field: keyof Address): string =>
  `${side}_${fieldNames[field]}`;

const toFinding = (side: 'to' | 'from', issue: AddressCheck['issues'][number]): FieldError => {
  const name = fieldName(side, issue.field);
  const { code, hint, [facts]: known } = issue;
  const detail = issue.detail.replace('{field}', name);
  return {
    pointer: `/${name}`,
    code,
    detail,
    ...(hint === undefined ? {} : { hint }),
    ...(known && { [facts]: known }),
  };
};

const withoutCaseAndSpaces = (text: string): string =>
  text.normalize('NFC').replaceAll(/\s/gu, '').toUpperCase();

const inWords = (name: string, { from, to }: { from: string; to: string }): string => {
  if (from === '') return `${name} is set to "${to}"`;
  return to === '' ? `${name} "${from}" is left out` : `${name} "${from}" became "${to}"`;
};

/** One warning for both addresses. Upper case and spaces are set in every letter: they are not worth one. */
const normalizedWarning = (checks: Record<'to' | 'from', AddressCheck>): Warning[] => {
  const changes = (['to', 'from'] as const).flatMap((side) =>
    checks[side].changes
      .filter(({ from, to }) => withoutCaseAndSpaces(from) !== withoutCaseAndSpaces(to))
      .map((change) => ({ name: fieldName(side, change.field), change })),
  );
  const [first] = changes;
  if (!first) return [];
  const detail = changes.map(({ name, change }) => inWords(name, change)).join('; ');
  return [{ pointer: `/${first.name}`, code: 'normalized', detail: `${detail}.` }];
};

const issueWarnings = (side: 'to' | 'from', check: AddressCheck): Warning[] =>
  check.issues
    .filter((issue) => issue.severity === 'warning')
    .map((issue) => {
      const { pointer, code, detail } = toFinding(side, issue);
      return { pointer, code, detail };
    });

/**
 * Normalises both addresses.
 * @throws AppError address_invalid with one entry per finding
 */
export const checkAddresses = (
  addresses: { to: Address; from: Address },
  asIs: AcceptAsIs,
): { to: Address; from: Address; warnings: Warning[] } => {
  const to = checkAddress(addresses.to, { asIs: asIs.to });
  const from = checkAddress(addresses.from, { asIs: asIs.from });
  const errors = (['to', 'from'] as const).flatMap((side) =>
    (side === 'to' ? to : from).issues
      .filter((issue) => issue.severity === 'error')
      .map((issue) => toFinding(side, issue)),
  );
  const first = errors[0];
  if (first) {
    const detail =
      errors.length === 1 ? first.detail : `${first.detail} (and ${errors.length - 1} more)`;
    throw new AppError('address_invalid', detail, { errors });
  }
  return {
    to: to.normalized,
    from: from.normalized,
    warnings: [
      ...normalizedWarning({ to, from }),
      ...issueWarnings('to', to),
      ...issueWarnings('from', from),
    ],
  };
};

const addressFields = Object.keys(fieldNames) as (keyof Address)[];

/**
 * Opens the faces that the lines of addresses are set in, so that they can be measured.
 * @throws AppError address_invalid for a character that no face has
 */
export const openAddressFaces = async (
  addresses: { to: Address; from: Address },
  lines: { to: string[]; from: string[] },
  metrics: FontMetrics,
): Promise<void> => {
  const errors = (['to', 'from'] as const).flatMap((side) =>
    findUnprintable(lines[side].join('\n'), metrics).map(({ codePoint }): FieldError => {
      const character = String.fromCodePoint(codePoint);
      const field = addressFields.find((one) => addresses[side][one]?.includes(character));
      const name = fieldName(side, field ?? 'name');
      const detail = `No font of the service has the character ${hex(codePoint)} of ${name}. Remove or transliterate it.`;
      return { pointer: `/${name}`, code: 'character_not_allowed', detail };
    }),
  );
  if (errors[0]) throw new AppError('address_invalid', errors[0].detail, { errors });
  await metrics.shaping?.load([...lines.to, ...lines.from]);
};

/** The field of an address that makes its widest line. Its faces are open. */
const widestField = (address: Address, metrics: FontMetrics): keyof Address => {
  const [widest] = addressFields
    .filter((field) => !['state', 'postalCode', 'country'].includes(field))
    .map((field) => ({ field, mm: textWidthMm(address[field] ?? '', 1, metrics) }))
    .sort((one, other) => other.mm - one.mm);
  return widest?.field ?? 'line1';
};

/**
 * Checks that the lines of both addresses fit into their places on the page.
 * @throws AppError address_invalid
 */
export const assertAddressesFit = (
  letter: {
    to: string[];
    from: string[];
    addresses: { to: Address; from: Address };
    country: CountryCode;
    service: ServiceId;
    envelope: string;
    isPdf: boolean;
  },
  metrics: FontMetrics,
): void => {
  const { to, from, addresses, country, service } = letter;
  const ours = geometryOf(country, service, letter.envelope as Envelope);
  // A PDF is addressed on its first page, or on an address page of ours.
  const sheets = letter.isPdf ? [onDocument(ours), ours] : [ours];
  const findings: FieldError[] = [];
  if (!sheets.every((sheet) => fitRecipient(to, sheet, metrics))) {
    const name = fieldName('to', widestField(addresses.to, metrics));
    const detail = `The recipient does not fit the window of the envelope, even in small print. Shorten ${name}.`;
    findings.push({ pointer: `/${name}`, code: 'address_too_large', detail });
  }
  if (!sheets.every((sheet) => fitSender(from, sheet, metrics))) {
    const name = fieldName('from', widestField(addresses.from, metrics));
    const detail = `The sender does not fit the return line, even in small print. Shorten ${name}.`;
    findings.push({ pointer: `/${name}`, code: 'address_too_large', detail });
  }
  const first = findings[0];
  if (first) throw new AppError('address_invalid', first.detail, { errors: findings });
};

/** CHOICE: below this size sorting machines and people may misread an address (USPS asks for 8 pt). */
const readablePt = 8;

/** About a recipient that fits its window in small print only. Its faces are open. */
export const smallAddressWarnings = (
  { to, service, envelope }: { to: Address; service: ServiceId; envelope: string },
  metrics: FontMetrics,
): Warning[] => {
  const sheet = geometryOf(to.country, service, envelope as Envelope);
  const { fontSizePt = readablePt } = fitRecipient(formatAddressLines(to), sheet, metrics) ?? {};
  if (fontSizePt >= readablePt) return [];
  const name = fieldName('to', widestField(to, metrics));
  const detail = `The recipient fits the window of the envelope only at ${fontSizePt} pt. To print it larger, shorten ${name}.`;
  return [{ pointer: `/${name}`, code: 'small_type', detail }];
};

const reasons = {
  control: 'is a control character',
  bidi: 'is a direction mark, which can show text in another order than stored',
  no_glyph: 'is missing from all fonts of the service; remove or replace it',
  surrogate: 'is half a character',
} as const;

/** @throws AppError body_too_large */
export const assertContentSize = (content: string, limits: Limits): void => {
  const bytes = Buffer.byteLength(content);
  if (bytes > limits.contentBytes) {
    const detail = `content has ${bytes} bytes, but the limit is ${limits.contentBytes}. Shorten it.`;
    throw limitError('contentBytes', detail, {
      errors: [{ pointer: '/content', code: 'too_long', detail }],
    });
  }
};

/** Neither white space nor a character that never shows: zero-width spaces, soft hyphens, marks of direction. */
const visible = /[^\s\p{Default_Ignorable_Code_Point}]/u;

/**
 * Text as it is printed: normalised, and every character of it in the font.
 * @throws AppError content_not_printable, body_too_large
 */
export const checkText = (content: string, metrics: FontMetrics, limits: Limits): string => {
  assertContentSize(content, limits);
  const text = normalizeContent(content);
  const unprintable = findUnprintable(text, metrics);
  if (unprintable.length > 0) {
    const errors = unprintable.map(({ index, codePoint, reason }) => ({
      pointer: '/content',
      code: `character_${reason}`,
      detail: `${hex(codePoint)} at character ${index} ${reasons[reason]}.`,
      [facts]: { character: hex(codePoint), place: index + 1 },
    }));
    throw new AppError('content_not_printable', `content cannot be printed: ${errors[0]?.detail}`, {
      errors,
    });
  }
  if (!visible.test(text)) {
    throw new AppError('content_not_printable', 'content has nothing to print. Write some text.', {
      errors: [
        { pointer: '/content', code: 'content_empty', detail: 'There is no visible character.' },
      ],
    });
  }
  return text;
};
