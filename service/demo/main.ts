/** `npm run demo`: a test letter's whole way, over HTTP, in a few lines. */
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../ground/message-of.ts';
import { type Balance, createClient, type Letter } from './client.ts';
import { demoLetter } from './letter.ts';
import { type DemoService, findOrStartService } from './service.ts';

const pdfTimeoutMs = 20_000;

const say = (label: string, text: string): void => console.log(`${label.padEnd(10)}${text}`);
const usd = (amount: number): string => `$${amount.toFixed(2)}`;
const shown = ({ balance, available, held }: Balance): string =>
  `${usd(balance)} (${usd(available)} available, ${usd(held)} held)`;

/**
 * The PDF that would go into the envelope. It is kept when the service was started here and its folder is
 * removed.
 */
const pdfOf = async (service: DemoService, letterId: string): Promise<string> => {
  const path = join(service.simulator, `${letterId}.pdf`);
  const deadline = Date.now() + pdfTimeoutMs;
  while (!existsSync(path)) {
    if (Date.now() > deadline) return `${letterId}.pdf, in the folder "simulator" of its DATA_DIR`;
    await delay(50);
  }
  if (!service.own) return path;
  const kept = join(await mkdtemp(join(tmpdir(), 'letters-demo-pdf-')), `${letterId}.pdf`);
  await copyFile(path, kept);
  return kept;
};

const showTimeline = ({ timeline }: Letter): void => {
  for (const [index, { status, at, source }] of timeline.entries()) {
    say(index === 0 ? 'timeline' : '', `${at}  ${status.padEnd(11)} by ${source}`);
  }
};

const play = async (service: DemoService): Promise<void> => {
  const client = createClient(service.url);
  say('service', `${service.url}${service.own ? ' (started for this demo)' : ''}`);
  const accountId = await client.register(`demo-${randomUUID()}@example.com`);
  say('account', `${accountId} (test: nothing is printed)`);
  say('balance', shown(await client.balance()));
  const { postage, print, commission, total } = await client.quote(demoLetter);
  say(
    'quote',
    `${usd(total)} = postage ${usd(postage)} + print ${usd(print)} + commission ${usd(commission)}`,
  );
  const { letter_id: letterId, message } = await client.send(demoLetter);
  say('letter', letterId);
  say('', message);
  say('balance', shown(await client.balance()));
  await client.advance(letterId, 'processing');
  const pdf = await pdfOf(service, letterId);
  for (const status of ['posted', 'in_transit', 'delivered']) {
    await client.advance(letterId, status);
  }
  const letter = await client.letter(letterId);
  showTimeline(letter);
  const { carrier, tracking_number: number } = letter.tracking;
  say('tracking', `${carrier} ${number ?? '(this service has no tracking number)'}`);
  say('balance', shown(await client.balance()));
  say('pdf', `${pdf} (pages: ${letter.pages}, sheets: ${letter.sheets})`);
};

const run = async (): Promise<void> => {
  const service = await findOrStartService();
  const interrupted = (): void => void service.stop().then(() => process.exit(130));
  process.once('SIGINT', interrupted);
  process.once('SIGTERM', interrupted);
  try {
    await play(service);
  } finally {
    await service.stop();
  }
};

await run().catch((error: unknown) => {
  console.error(`The demo failed: ${messageOf(error)}`);
  process.exit(1);
});
