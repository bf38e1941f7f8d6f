import {
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFInvalidObject,
  type PDFName,
  PDFNull,
  PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { name, objectsIn } from './pdf-objects.ts';

const names = (...texts: string[]): PDFName[] => texts.map(name);

const layer = name('OC');
/** Other versions of an image, its data in another file, and programs for the printer. */
const streamEntries = names(
  ...['Alternates', 'OPI', 'Ref', 'F', 'FFilter', 'FDecodeParms', 'PS', 'Subtype2'],
);
/** Entries of a graphics state that only a printing press obeys. */
const pressEntries = names('OP', 'op', 'OPM', 'TR', 'TR2', 'BG', 'BG2', 'UCR', 'UCR2', 'HT');
/** Colour spaces that replace those of the device; many printers ignore them. */
const defaultSpaces = names('DefaultGray', 'DefaultRGB', 'DefaultCMYK');

const remove = (dict: PDFDict, keys: readonly PDFName[]): void => {
  for (const key of keys) dict.delete(key);
};

/**
 * Renames the inks of a colour space. No printer has the new ones, so that each of them mixes the colour that
 * screens show instead. The ink None leaves no mark on paper or on screens, and keeps its name.
 */
function renameInks(space: PDFArray): void {
  const [kind, inks] = [space.get(0), space.size() >= 4 ? space.lookup(1) : undefined];
  if (inks === undefined) return;
  if (kind === name('Separation') && inks !== name('None')) space.set(1, name('Shown'));
  if (kind !== name('DeviceN') || !(inks instanceof PDFArray)) return;
  for (let index = 0; index < inks.size(); index++) inks.set(index, name(`Shown${index + 1}`));
  while (space.size() > 4) space.remove(4);
}

/** The groups of marked content become ordinary marks, which hide nothing. */
function showLayers(resources: PDFDict): void {
  const properties = resources.lookup(name('Properties'));
  if (!(properties instanceof PDFDict)) return;
  for (const key of properties.keys()) properties.set(key, resources.context.obj({}));
}

function stripGraphicsStates(resources: PDFDict): void {
  const states = resources.lookup(name('ExtGState'));
  if (!(states instanceof PDFDict)) return;
  // Patterns have one graphics state, resources a list of them.
  const all = resources.has(name('PatternType'))
    ? [states]
    : states.keys().map((key) => states.lookup(key));
  for (const state of all) if (state instanceof PDFDict) remove(state, pressEntries);
}

function stripDict(dict: PDFDict): void {
  dict.delete(layer);
  showLayers(dict);
  stripGraphicsStates(dict);
  const spaces = dict.lookup(name('ColorSpace'));
  if (spaces instanceof PDFDict) remove(spaces, defaultSpaces);
}

function stripStream({ dict }: PDFStream): void {
  remove(dict, streamEntries);
  // A program for PostScript printers, which nobody else can show.
  if (dict.lookup(name('Subtype')) === name('PS')) dict.delete(name('Subtype'));
  // Of a colour profile: what printers without colour management use.
  if (dict.has(name('N'))) dict.delete(name('Alternate'));
}

/**
 * Removes from all objects everything that could make a printer differ from screens: layers (all of
 * them are shown, see `hidesLayers`), inks by name, entries for printing presses, other versions of images.
 * A reference to an object that is not in the file becomes one to null, so that its number is never given to
 * another object.
 * @throws Error for an object that cannot be read
 */
export function stripForPrint(context: PDFContext): void {
  for (const object of objectsIn(context)) {
    if (object instanceof PDFInvalidObject) throw new Error('an object that cannot be read');
    if (object instanceof PDFRef && context.lookup(object) === undefined) {
      context.assign(object, PDFNull);
    }
    if (object instanceof PDFStream) stripStream(object);
    if (object instanceof PDFArray) renameInks(object);
    if (object instanceof PDFDict) stripDict(object);
  }
}
