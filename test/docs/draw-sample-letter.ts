/**
 * Draws `docs/sample-letter.png`, the first page of the letter of the demo, out of the PDF that a running
 * service makes of it: `node test/docs/draw-sample-letter.ts`. Needs `pdftoppm` of poppler.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient } from '../../service/demo/client.ts';
import { demoLetter } from '../../service/demo/letter.ts';
import { startOwn } from '../../service/demo/service.ts';
import { root } from './guides.ts';

const maxBytes = 150_000;
const picture = join(root, 'docs', 'sample-letter');

const service = await startOwn();
try {
  const client = createClient(service.url);
  await client.register(`sample-${randomUUID()}@example.com`);
  const { letter_id: letterId } = await client.send(demoLetter);
  await client.advance(letterId, 'processing');
  const pdf = join(service.simulator, `${letterId}.pdf`);
  for (let tries = 0; !existsSync(pdf); tries += 1) {
    if (tries === 400) throw new Error('the service made no PDF within 20 s');
    await delay(50);
  }
  execFileSync('pdftoppm', [
    ...['-png', '-gray', '-r', '80', '-f', '1', '-l', '1', '-singlefile'],
    ...[pdf, picture],
  ]);
} finally {
  await service.stop();
}
const { size } = statSync(`${picture}.png`);
if (size >= maxBytes) throw new Error(`the picture has ${size} bytes, more than ${maxBytes}`);
console.log(`docs/sample-letter.png, ${size} bytes`);
