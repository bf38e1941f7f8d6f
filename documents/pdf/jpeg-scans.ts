/** Whether a JPEG has all of its pixels (ITU-T T.81). The pixels themselves are not computed. */

/** Readers skip what is in front of it. */
const startOfImage = Buffer.from([0xff, 0xd8]);
const restartFirst = 0xd0;
const restartLast = 0xd7;
const endOfImage = 0xd9;
const startOfScan = 0xda;
const huffmanTables = 0xc4;
const restartInterval = 0xdd;
/** Baseline and extended, with Huffman codes. */
const sequential: ReadonlySet<number> = new Set([0xc0, 0xc1]);
/** Progressive frames with Huffman codes and with arithmetic codes. */
const progressive: ReadonlySet<number> = new Set([0xc2, 0xca]);
/** Any frame, including lossless ones. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 &&
  marker <= 0xcf &&
  marker !== huffmanTables &&
  marker !== 0xc8 &&
  marker !== 0xcc;

export type Segment = { marker: number; contents: Buffer; end: number };

/** The segments of a JPEG from a place in it on. Readers skip other bytes between them. */
export function* segmentsFrom(bytes: Buffer, start: number): Generator<Segment> {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at)) {
    if (at + 4 > bytes.length) return;
    const marker = bytes[at + 1] ?? 0;
    if (marker === endOfImage) return;
    // Further 0xFF bytes may precede a marker. 0xFF with a zero is data.
    if (marker === 0xff || marker === 0) {
      at += marker === 0 ? 2 : 1;
      continue;
    }
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    yield { marker, contents: bytes.subarray(at + 4, end), end };
    at = end;
  }
}

/** The position after the data of a scan: the next marker that is not part of the data. */
const endOfScan = (bytes: Buffer, start: number): number => {
  let at = bytes.indexOf(0xff, start);
  for (; at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0;
    const isData = next === 0 || next === 0xff || (next >= restartFirst && next <= restartLast);
    if (!isData) return at;
  }
  return bytes.length;
};

class Damaged extends Error {}

/** By the next 16 bits: the value of the code that they begin with, and its length; 0 for no code. */
type Codes = Uint16Array;
type Component = { id: number; across: number; down: number };
type Frame = { marker: number; width: number; height: number; components: Component[] };
type Image = {
  frame: Frame | undefined;
  /** The coefficients of each component that the scans so far gave in full. */
  given: Set<number>;
  codes: Map<number, Codes>;
  /** How many there were so far. */
  tables: number;
  interval: number;
};

/** Of a table that stands at a place of a segment. @throws Damaged */
function codesAt(contents: Buffer, start: number): { codes: Codes; end: number } {
  const codes = new Uint16Array(65_536);
  let [at, code] = [start + 16, 0];
  for (let length = 1; length <= 16; length++) {
    for (let count = contents[start + length - 1] ?? 0; count > 0; count--) {
      const from = code << (16 - length);
      if (from >= codes.length) throw new Damaged();
      codes.fill(((contents[at] ?? 0) << 5) | length, from, from + 2 ** (16 - length));
      at++;
      code++;
    }
    code <<= 1;
  }
  return { codes, end: at };
}

/** Files of many scans have some for each of them. Reading one takes as long as some kilobytes of data. */
const mostTables = 1000;

/** @throws Damaged */
function readTables(contents: Buffer, image: Image): void {
  const { codes } = image;
  for (let at = 0; at + 17 <= contents.length; ) {
    if (++image.tables > mostTables) throw new Damaged();
    const table = codesAt(contents, at + 1);
    codes.set(contents[at] ?? 0, table.codes);
    at = table.end;
  }
}

/** @throws Damaged for a frame that no reader accepts. Without blocks a scan of any size would not end. */
const frameOf = ({ marker, contents }: Segment): Frame => ({
  marker,
  height: contents.readUInt16BE(1),
  width: contents.readUInt16BE(3),
  components: Array.from({ length: contents[5] ?? 0 }, (_, index) => {
    const at = 6 + 3 * index;
    const sampling = contents[at + 1] ?? 0;
    const [across, down] = [sampling >> 4, sampling & 15];
    if (across < 1 || across > 4 || down < 1 || down > 4) throw new Damaged();
    return { id: contents[at] ?? 0, across, down };
  }),
});

/** The bits of a scan, without the zeros that follow each 0xFF. */
function bitsOf(bytes: Buffer, start: number, end: number) {
  let [at, held, count] = [start, 0, 0];
  /** Bits after the end of the data are zeros. No code may use them. */
  let lent = 0;
  const fill = (): void => {
    while (count <= 16) {
      let byte = 0;
      const isOver = at >= end || (bytes[at] === 0xff && bytes[at + 1] !== 0);
      if (isOver) lent += 8;
      else {
        byte = bytes[at] ?? 0;
        at += byte === 0xff ? 2 : 1;
      }
      held = ((held << 8) | byte) & 0xffffff;
      count += 8;
    }
  };
  const use = (length: number): void => {
    count -= length;
    if (count < lent) throw new Damaged();
  };
  return {
    /** The value of the next code. */
    read(codes: Codes): number {
      fill();
      const found = codes[(held >> (count - 16)) & 0xffff] ?? 0;
      if (found === 0) throw new Damaged();
      use(found & 31);
      return found >> 5;
    },
    skip(length: number): void {
      fill();
      use(length);
    },
    /** Moves past the next restart marker. */
    restart(): void {
      while (at < end && !(bytes[at] === 0xff && isRestart(bytes[at + 1] ?? 0))) at++;
      if (at >= end) throw new Damaged();
      at += 2;
      [held, count, lent] = [0, 0, 0];
    },
  };
}

const isRestart = (marker: number): boolean => marker >= restartFirst && marker <= restartLast;

function skipBlock(bits: ReturnType<typeof bitsOf>, dc: Codes, ac: Codes): void {
  bits.skip(bits.read(dc) & 15);
  for (let at = 1; at < 64; at++) {
    const value = bits.read(ac);
    const [run, size] = [value >> 4, value & 15];
    if (size === 0 && run !== 15) return;
    at += run;
    // Readers ignore surplus zeros.
    if (at > 63 && size > 0) throw new Damaged();
    bits.skip(size);
  }
}

/** The components of a scan with their codes; undefined where a table or a component is not there. */
function scanned(contents: Buffer, { components }: Frame, codes: Image['codes']) {
  const parts = Array.from({ length: contents[0] ?? 0 }, (_, index) => {
    const component = components.find(({ id }) => id === contents[1 + 2 * index]);
    const tables = contents[2 + 2 * index] ?? 0;
    const [dc, ac] = [codes.get(tables >> 4), codes.get(0x10 | (tables & 15))];
    return component && dc && ac ? { component, dc, ac } : undefined;
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts : undefined;
}

/** The units of a scan: blocks of its only component, or groups of blocks of all of its components. */
function unitsOf(frame: Frame, parts: { component: Component }[]): number {
  const most = (side: 'across' | 'down') => Math.max(...frame.components.map((one) => one[side]));
  const [across, down] = [most('across'), most('down')];
  const [only, ...more] = parts;
  const [x, y] =
    more.length === 0 && only ? [only.component.across, only.component.down] : [across, down];
  const alone = more.length === 0;
  const columns = alone
    ? Math.ceil(Math.ceil((frame.width * x) / across) / 8)
    : Math.ceil(frame.width / (8 * across));
  const rows = alone
    ? Math.ceil(Math.ceil((frame.height * y) / down) / 8)
    : Math.ceil(frame.height / (8 * down));
  return columns * rows;
}

/**
 * Whether all codes of a sequential scan were read.
 * @throws Damaged when data is missing or is not a code
 */
function readCodes(
  bytes: Buffer,
  scan: Segment,
  end: number,
  image: Image & { frame: Frame },
): boolean {
  const parts = scanned(scan.contents, image.frame, image.codes);
  if (!parts) return false;
  const bits = bitsOf(bytes, scan.end, end);
  const units = unitsOf(image.frame, parts);
  const alone = parts.length === 1;
  for (let unit = 0; unit < units; unit++) {
    if (image.interval > 0 && unit > 0 && unit % image.interval === 0) bits.restart();
    for (const { component, dc, ac } of parts) {
      const blocks = alone ? 1 : component.across * component.down;
      for (let block = 0; block < blocks; block++) skipBlock(bits, dc, ac);
    }
  }
  return true;
}

const coefficients = 64;
/** CHOICE: real files have a few scans for each component. Even a short header of a scan may name 255 components. */
const mostScans = 1000;

/**
 * Reads a sequential scan, or only the header of a progressive one. The data of a progressive scan may be cut off: then
 * some fine details are missing in part of the picture. Returns whether readers need no more scans.
 * @throws Damaged
 */
function readScan(bytes: Buffer, scan: Segment, end: number, image: Image): boolean {
  const { frame, given } = image;
  if (frame === undefined || end === scan.end) return false;
  const count = scan.contents[0] ?? 0;
  let [first = 0, last = 0, precision = 0] = scan.contents.subarray(1 + 2 * count);
  if (sequential.has(frame.marker)) {
    if (!readCodes(bytes, scan, end, { ...image, frame })) return false;
    [first, last, precision] = [0, coefficients - 1, 0];
  }
  // Later scans give the other bits of these coefficients.
  if ((precision & 15) > 0) return false;
  for (let index = 0; index < count; index++) {
    const id = scan.contents[1 + 2 * index] ?? 0;
    for (let at = first; at <= Math.min(last, coefficients - 1); at++)
      given.add(id * coefficients + at);
  }
  return given.size >= coefficients * frame.components.length;
}

/** The next scan. @throws Damaged */
function readSegments(bytes: Buffer, start: number, image: Image): Segment | undefined {
  for (const segment of segmentsFrom(bytes, start)) {
    const { marker, contents } = segment;
    if (marker === startOfScan) return segment;
    if (marker === huffmanTables) readTables(contents, image);
    if (marker === restartInterval && contents.length >= 2)
      image.interval = contents.readUInt16BE(0);
    if (isFrame(marker) && contents.length >= 6) {
      const isKnown = sequential.has(marker) ? contents[0] === 8 : progressive.has(marker);
      image.frame = isKnown ? frameOf(segment) : undefined;
      image.given.clear();
    }
  }
  return undefined;
}

/** @throws Damaged */
function readScans(bytes: Buffer): boolean {
  const image: Image = {
    frame: undefined,
    given: new Set(),
    codes: new Map(),
    tables: 0,
    interval: 0,
  };
  const start = bytes.indexOf(startOfImage);
  if (start < 0) return false;
  let at = start + 2;
  for (let scans = 0; scans < mostScans && at < bytes.length; scans++) {
    const scan = readSegments(bytes, at, image);
    if (scan === undefined) return false;
    at = endOfScan(bytes, scan.end);
    // Readers need nothing that follows, not even the end.
    if (readScan(bytes, scan, at, image)) return true;
    // Tables of the next scan may stand between.
    if (bytes[at + 1] === endOfImage) return at > scan.end;
  }
  return false;
}

/**
 * Whether a JPEG is complete. Reads all codes of the usual sequential JPEGs. Of other JPEGs it reads only the headers of
 * the scans.
 */
export function isWholeJpeg(bytes: Buffer): boolean {
  try {
    return readScans(bytes);
  } catch (error) {
    if (error instanceof Damaged) return false;
    throw error;
  }
}
