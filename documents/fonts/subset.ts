/** TrueType files out of variable ones, and subsets of them: HarfBuzz's subsetter. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Pointer = number;
type Subsetter = {
  memory: WebAssembly.Memory;
  malloc(bytes: number): Pointer;
  free(at: Pointer): void;
  hb_blob_create(at: Pointer, bytes: number, mode: number, data: number, free: number): Pointer;
  hb_blob_destroy(blob: Pointer): void;
  hb_blob_get_data(blob: Pointer, length: Pointer): Pointer;
  hb_blob_get_length(blob: Pointer): number;
  hb_face_create(blob: Pointer, index: number): Pointer;
  hb_face_destroy(face: Pointer): void;
  hb_face_reference_blob(face: Pointer): Pointer;
  hb_set_add(set: Pointer, value: number): void;
  hb_set_clear(set: Pointer): void;
  hb_subset_input_create_or_fail(): Pointer;
  hb_subset_input_destroy(input: Pointer): void;
  hb_subset_input_glyph_set(input: Pointer): Pointer;
  hb_subset_input_set(input: Pointer, kind: number): Pointer;
  hb_subset_input_set_flags(input: Pointer, flags: number): void;
  hb_subset_input_keep_everything(input: Pointer): void;
  hb_subset_input_pin_all_axes_to_default(input: Pointer, face: Pointer): number;
  hb_subset_input_pin_axis_location(
    input: Pointer,
    face: Pointer,
    tag: number,
    value: number,
  ): number;
  hb_subset_or_fail(face: Pointer, input: Pointer): Pointer;
};

/** Names of hb-subset.h. */
const memoryModeWritable = 2;
const flags = { noHinting: 0x1, retainGlyphIds: 0x2, noLayoutClosure: 0x200 };
const sets = { dropTables: 3, layoutFeatures: 6 };

const tag = (name: string): number => Buffer.from(name, 'latin1').readUInt32BE();

const wasmFile = import.meta.resolve('harfbuzzjs/dist/harfbuzz-subset.wasm');

const instantiate = (): Subsetter => {
  const module = new WebAssembly.Module(readFileSync(fileURLToPath(wasmFile)));
  return new WebAssembly.Instance(module, {}).exports as unknown as Subsetter;
};

let instantiated: Subsetter | undefined;

/** A font made of `font` as `choose` says. @throws Error when it cannot be made */
function remade(
  font: Uint8Array,
  choose: (wasm: Subsetter, input: Pointer, face: Pointer) => void,
): Buffer {
  instantiated ??= instantiate();
  const wasm = instantiated;
  const at = wasm.malloc(font.length);
  new Uint8Array(wasm.memory.buffer).set(font, at);
  const source = wasm.hb_blob_create(at, font.length, memoryModeWritable, 0, 0);
  const face = wasm.hb_face_create(source, 0);
  const input = wasm.hb_subset_input_create_or_fail();
  choose(wasm, input, face);
  const made = wasm.hb_subset_or_fail(face, input);
  const result = wasm.hb_face_reference_blob(made);
  const length = wasm.hb_blob_get_length(result);
  const data = wasm.hb_blob_get_data(result, 0);
  const bytes = Buffer.from(new Uint8Array(wasm.memory.buffer, data, length));
  wasm.hb_blob_destroy(result);
  if (made !== 0) wasm.hb_face_destroy(made);
  wasm.hb_subset_input_destroy(input);
  wasm.hb_face_destroy(face);
  wasm.hb_blob_destroy(source);
  wasm.free(at);
  if (length === 0) throw new Error('the font cannot be subset');
  return bytes;
}

/** The regular weight of a variable font, with everything that it can. */
export const regularOf = (variable: Uint8Array): Buffer =>
  remade(variable, (wasm, input, face) => {
    wasm.hb_subset_input_keep_everything(input);
    wasm.hb_subset_input_pin_all_axes_to_default(input, face);
    wasm.hb_subset_input_pin_axis_location(input, face, tag('wght'), 400);
  });

/** The outlines of some glyphs under the numbers that they have in `font`; nothing to shape with. */
export const outlinesOf = (font: Uint8Array, glyphIds: Iterable<number>): Buffer =>
  remade(font, (wasm, input) => {
    const { noHinting, retainGlyphIds, noLayoutClosure } = flags;
    wasm.hb_subset_input_set_flags(input, noHinting | retainGlyphIds | noLayoutClosure);
    const glyphs = wasm.hb_subset_input_glyph_set(input);
    for (const id of glyphIds) wasm.hb_set_add(glyphs, id);
    wasm.hb_set_clear(wasm.hb_subset_input_set(input, sets.layoutFeatures));
    const dropped = wasm.hb_subset_input_set(input, sets.dropTables);
    for (const name of ['GSUB', 'GPOS', 'GDEF']) wasm.hb_set_add(dropped, tag(name));
  });
