import { type Envelope, formatOf, isLargeEnvelope } from './paper.ts';
import { services } from './services.ts';
import type { Box, CountryCode, PageFormat, ServiceId } from './types.ts';

export type Edges = { top: number; right: number; bottom: number; left: number };
type NoPrintZone = { name: string; box: Box };

/** Where things stand on the first page. Millimetres from its top left. */
export type Geometry = {
  format: PageFormat;
  page: { width: number; height: number };
  envelope: Envelope;
  /**
   * Recipient block: the address may be set from edge to edge of it. It stands `clearanceMm` inside of
   * the envelope's window, which is the address field among `noPrint`.
   */
  window: Box;
  /** The sender: one line above the recipient, or the block of a second window, as far inside of it. */
  senderLine: Box;
  /** The sender on a document that we did not set: in a window, where nothing of the document stands. */
  senderOnDocument: Box;
  /** Where our own layout starts the body of the first page. */
  bodyTop: number;
  /** Top of the date line where a fold is at `bodyTop`. */
  dateTop?: number;
  /** Text margins of our own layout. */
  margins: Edges;
  /** The edges of every page that a supplied document must leave clear. */
  safeMargins: Edges;
  foldMarks: readonly number[];
  /** The zones of the first page that a supplied document must leave clear. */
  noPrint: readonly NoPrintZone[];
  source: string;
  /** The geometry was not confirmed by a published figure. */
  estimate: boolean;
};

/** ISO 216 and ANSI A. */
export const pageSizes: Readonly<Record<PageFormat, { width: number; height: number }>> = {
  A4: { width: 210, height: 297 },
  Letter: { width: 215.9, height: 279.4 },
};

type Layout = Omit<Geometry, 'format' | 'page' | 'envelope' | 'senderOnDocument'> &
  Partial<Pick<Geometry, 'senderOnDocument'>>;

/** CHOICE: a letter slips in its envelope; this far inside of a window our blocks still show whole. */
export const clearanceMm = 3;

const europeanSafe: Edges = { top: 5, right: 5, bottom: 5, left: 5 };
/** 0.1875 in. */
const americanSafe: Edges = { top: 4.8, right: 4.8, bottom: 4.8, left: 4.8 };

/** Control marks of the enclosing machine stand at the lower left of the page. */
const lowerLeft: NoPrintZone = {
  name: 'lower_left',
  box: { x: 0, y: 282, width: 15, height: 15 },
};

const germany: Layout = {
  // The field is x 20, y 45, 85 × 45; the address zone its lower 27.3 mm, text from x 25.
  window: { x: 25, y: 62.7, width: 77, height: 24.3 },
  senderLine: { x: 25, y: 57.2, width: 77, height: 5.5 },
  bodyTop: 98.5,
  margins: { top: 25, right: 20, bottom: 20, left: 25 },
  safeMargins: europeanSafe,
  foldMarks: [105, 210],
  noPrint: [{ name: 'address_field', box: { x: 20, y: 45, width: 85, height: 45 } }, lowerLeft],
  source: 'DIN 5008 form B; safe margins and lower left of the usual print houses',
  estimate: false,
};

const germanRegistered: Layout = {
  ...germany,
  window: { x: 25, y: 68, width: 77, height: 19 },
  senderLine: { x: 25, y: 48, width: 77, height: 5.5 },
  noPrint: [...germany.noPrint, registeredLabel({ x: 20, y: 53.5, width: 85, height: 14.5 })],
  source: 'DIN 5008 form B; address below the registration mark from y 68 as print houses ask',
};

const france: Layout = {
  // The window field is x 100, y 35, 100 × 45, its right edge 10 mm from that of the page.
  window: { x: 105, y: 42, width: 90, height: 35 },
  senderLine: { x: 20, y: 20, width: 75, height: 5.5 },
  senderOnDocument: { x: 105, y: 38, width: 90, height: 5.5 },
  bodyTop: 98,
  dateTop: 100.5,
  margins: { top: 20, right: 20, bottom: 20, left: 20 },
  safeMargins: europeanSafe,
  foldMarks: [99, 198],
  noPrint: [{ name: 'address_field', box: { x: 100, y: 35, width: 100, height: 45 } }, lowerLeft],
  source: 'French window on the right (AFNOR layout as typeset by KOMA-Script)',
  estimate: false,
};

const frenchRegistered: Layout = {
  ...france,
  window: { x: 113, y: 58, width: 79, height: 27 },
  senderOnDocument: { x: 113, y: 58, width: 79, height: 5.5 },
  noPrint: [
    { name: 'address_field', box: { x: 110, y: 55, width: 85, height: 33 } },
    registeredLabel({ x: 100, y: 35, width: 100, height: 20 }),
    lowerLeft,
  ],
  source: 'French window with the barcode of a registered letter above the address (edics.fr)',
};

/**
 * Letters keep the layout that they were made in, which their terms name: absent means the first. The second sets
 * the text of a British letter on the left edge of its address. Its lines are as wide as before, so that no letter
 * has another number of pages.
 */
type LayoutVersion = 1 | 2;
export const currentLayout = 2 as const satisfies LayoutVersion;

const britain: Layout = {
  // The field is x 20, y 34, 100 × 35; GOV.UK Notify sets the address from x 24.6.
  window: { x: 24.6, y: 42.5, width: 92.4, height: 23.5 },
  senderLine: { x: 24.6, y: 37, width: 92.4, height: 5.5 },
  bodyTop: 95,
  margins: { top: 20, right: 15.4, bottom: 20, left: 24.6 },
  safeMargins: { top: 5, right: 15, bottom: 5, left: 15 },
  foldMarks: [148.5],
  noPrint: [{ name: 'address_field', box: { x: 20, y: 34, width: 100, height: 35 } }],
  source: 'C5 address block of GOV.UK Notify; sender line above it is our own choice',
  estimate: false,
};

const firstBritain: Layout = {
  ...britain,
  margins: { top: 20, right: 20, bottom: 20, left: 20 },
};

const americaNoPrint: readonly NoPrintZone[] = [
  { name: 'address_field', box: { x: 15.9, y: 44.5, width: 101.6, height: 25.4 } },
  { name: 'return_address_field', box: { x: 15.9, y: 12.7, width: 82.6, height: 22.2 } },
];

const america: Layout = {
  window: { x: 18.9, y: 47.5, width: 95.6, height: 19.4 },
  senderLine: { x: 18.9, y: 15.7, width: 76.6, height: 16.2 },
  bodyTop: 95,
  margins: { top: 19, right: 19, bottom: 19, left: 19 },
  safeMargins: americanSafe,
  foldMarks: [93.1, 186.3],
  noPrint: americaNoPrint,
  source: '#10 double window: 4 × 1 in at 0.625 / 1.75 in, return 3.25 × 0.875 in (Lob template)',
  estimate: false,
};

const canada: Layout = {
  ...america,
  source: 'no Canadian figure found: #10 double window of the US',
  estimate: true,
};

function registeredLabel(box: Box): NoPrintZone {
  return { name: 'registered_label', box };
}

const layouts: Readonly<Record<CountryCode, Layout>> = {
  US: america,
  FR: france,
  GB: britain,
  CA: canada,
  DE: germany,
};

const firstLayouts: Readonly<Record<CountryCode, Layout>> = { ...layouts, GB: firstBritain };

/** Services whose registration mark moves the address. */
const layoutsByService: Readonly<Partial<Record<ServiceId, Layout>>> = {
  fr_lettre_recommandee: frenchRegistered,
  de_einschreiben: germanRegistered,
  de_einschreiben_einwurf: germanRegistered,
};

/**
 * Geometry of a letter. `envelope` is that of the rate row (default: the service's small one); sheets
 * that lie unfolded have no fold marks, their window is taken to stand at the same place of the page.
 * @param version of the layout: that of the letter's terms where the letter exists
 * @throws RangeError for a service of another country
 */
export function geometryOf(
  country: CountryCode,
  service: ServiceId,
  envelope: Envelope = services[service].envelope,
  version: LayoutVersion = currentLayout,
): Geometry {
  if (services[service].country !== country) {
    throw new RangeError(`${service} is not a service of ${country}`);
  }
  const layout = layoutsByService[service] ?? (version === 1 ? firstLayouts : layouts)[country];
  const format = formatOf(country);
  return {
    senderOnDocument: layout.senderLine,
    ...layout,
    format,
    page: pageSizes[format],
    envelope,
    foldMarks: isLargeEnvelope(envelope) ? [] : layout.foldMarks,
  };
}

/** Page and margins are the same for every service of a country. */
export const usualSheet = (country: CountryCode): Pick<Geometry, 'page' | 'margins'> => ({
  page: pageSizes[formatOf(country)],
  margins: layouts[country].margins,
});

/** How a document that we did not set is addressed: recipient and sender both in windows. */
export const onDocument = (sheet: Geometry): Geometry => ({
  ...sheet,
  senderLine: sheet.senderOnDocument,
});
