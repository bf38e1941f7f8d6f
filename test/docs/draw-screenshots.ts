/** Draws the pictures of pages in README from a running service: `npm run screenshots`. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { demoLetter } from '../../service/demo/letter.ts';
import { startOwn } from '../../service/demo/service.ts';
import { startBrowser } from '../support/browser.ts';
import { root } from './guides.ts';

const maxBytes = 150_000;
const folder = join(root, 'docs', 'screenshots');
mkdirSync(folder, { recursive: true });

const service = await startOwn();
const browser = await startBrowser();
try {
  let key: string | undefined;
  const ask = async <T>(path: string, body: object = {}): Promise<T> => {
    const response = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        'Content-Type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${await response.text()}`);
    return (await response.json()) as T;
  };
  const email = `screens-${randomUUID()}@example.com`;
  const account = await ask<{ api_key: string }>('/auth/register', { email, mode: 'test' });
  key = account.api_key;
  const ids: string[] = [];
  for (const [number, status] of [
    'delivered',
    'in_transit',
    'posted',
    'processing',
    '',
  ].entries()) {
    const letter = { ...demoLetter, reference: `2026-${100 + number}` };
    const { letter_id: letterId } = await ask<{ letter_id: string }>('/api/send', letter);
    if (status !== '') await ask(`/api/test/letters/${letterId}/advance`, { to: status });
    ids.push(letterId);
  }
  const [first = ''] = ids;
  const link = await ask<{ url: string }>(`/api/identity/audit/${first}/link`);
  const { page } = await browser.open();
  await page.goto(`${service.url}/console/sign-in?language=en`);
  await page.type('[name="api_key"]', key);
  await Promise.all([page.waitForNavigation(), page.click('form[action$="/sign-in"] button')]);
  for (const [name, address, height] of [
    ['console', `${service.url}/console/letters`, 1_060],
    ['letter', `${service.url}/console/letters/${first}`, 1_000],
    ['audit', link.url, 900],
  ] as const) {
    await page.setViewport({ width: 1_000, height });
    await page.goto(address, { waitUntil: 'networkidle0' });
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path: path as `${string}.png`, type: 'png', optimizeForSpeed: false });
    const { size } = statSync(path);
    if (size >= maxBytes) throw new Error(`${name}.png has ${size} bytes, more than ${maxBytes}`);
    console.log(`docs/screenshots/${name}.png, ${size} bytes`);
  }
} finally {
  await browser.stop();
  await service.stop();
}
