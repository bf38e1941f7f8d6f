/** The parts that are used here of packages that ship no types. */
declare module 'wawoff2' {
  export function decompress(woff2: Uint8Array): Promise<Uint8Array>;
}

declare module 'bidi-js' {
  export type Levels = { levels: Uint8Array; paragraphs: unknown[] };
  export type Bidi = {
    /** Of UAX #9, by UTF-16 index: odd runs from right to left. */
    getBidiCharTypeName(character: string): string;
    getEmbeddingLevels(text: string, base: 'ltr' | 'rtl' | 'auto'): Levels;
    getMirroredCharacter(character: string): string | null;
  };
  export default function createBidi(): Bidi;
}

/** The build ships an ES module under another name than its package says. */
declare module 'bidi-js/dist/bidi.mjs' {
  export { type Bidi, default } from 'bidi-js';
}
