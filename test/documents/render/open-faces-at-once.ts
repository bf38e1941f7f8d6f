/** Opens faces at once in a process where the decoder starts slowly, and prints those that came out wrong. */
import { setTimeout } from 'node:timers/promises';
import { type Face, faces, openFace } from '../../../documents/fonts/faces.ts';

const wasm = WebAssembly as unknown as { instantiate(...of: unknown[]): Promise<unknown> };
const { instantiate } = wasm;
wasm.instantiate = async (...of) => {
  await setTimeout(200);
  return instantiate(...of);
};

const some: Face[] = faces().filter((_, n) => n % 50 === 0);
const together = await Promise.allSettled(some.map(openFace));
const wrong: string[] = [];
for (const [n, face] of some.entries()) {
  const opened = together[n];
  const right = opened?.status === 'fulfilled' && opened.value.equals(await openFace(face));
  if (!right) wrong.push(`${face.family} ${face.slice}`);
}
console.log(JSON.stringify(wrong));
