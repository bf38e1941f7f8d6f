/** The print folder is away for weeks, so a letter is handed over long after its production started. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, until } from '../support/client.ts';
import { creditWallet } from '../support/foundation.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('a letter that is handed over late', function () {
  this.timeout(180_000);
  let dataDir: string;
  let service: TestService;
  let now = Date.now();

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-late-'));
    await mkdir(join(dataDir, 'outbox'), { recursive: true });
    await writeFile(join(dataDir, 'outbox', '.drafts'), 'in the way of the folder');
    now = Date.now();
    const env = { DATA_DIR: dataDir, CANCELLATION_WINDOW_SECONDS: '0' };
    service = await startTestService(env, { clock: () => now });
  });
  afterEach(async () => {
    await service?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('is shown to its sender as it was printed', async () => {
    const api = clientOf(() => service);
    const client = await api.register('live');
    const { commands } = service.service.foundation;
    await creditWallet(commands, client.account.account_id, 100_000_000n);
    await until(async () => (await client.balance()).available === 100);
    const { letter_id: id } = await client.send();
    await until(async () => (await client.letter(id)).status === 'processing');
    now += 21 * 86_400_000;
    await rm(join(dataDir, 'outbox', '.drafts'));
    await until(async () => (await client.letter(id)).production?.state === 'with_partner');
    const printed = await readFile(join(dataDir, 'outbox', `${id}.pdf`));
    const answer = await fetch(`${service.url}/api/letters/${id}/document.pdf`, {
      headers: { Authorization: `Bearer ${client.key}` },
    });
    const shown = Buffer.from(await answer.arrayBuffer());
    expect(shown.equals(printed)).to.equal(true);
  });
});
