import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect } from 'chai';
import { creditWallet, withFoundation } from '../support/foundation.ts';
import { letterBody, registerTestAccount, startClients } from '../support/letter-client.ts';
import { auditMoney } from '../support/log-audit.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import {
  atRest,
  embeddedIn,
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  spawnService,
} from '../support/service-process.ts';

/** A send whose last byte waits for `finish`, so that it is in progress as long as a test wants. */
const beginSend = async (port: number, key: string, idempotencyKey: string) => {
  const body = JSON.stringify(letterBody('In flight.'));
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.write(
    [
      'POST /api/send HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${key}`,
      `Idempotency-Key: ${idempotencyKey}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n'),
  );
  // The server answers 100 once it has taken the request
  await eventually('the request is taken', () => answer.startsWith('HTTP/1.1 100'));
  return {
    async finish(): Promise<string> {
      socket.write(body);
      return ended;
    },
  };
};

describe('a service that is told to stop', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  const { dataDir } = folder;

  after(async () => {
    await killLeftovers();
    await folder.remove();
  });

  it('while it is still starting ends within 10 s and leaves no database behind', async () => {
    const early = spawnService(await freePort(), dataDir);
    // The signal finds it with PostgreSQL made and started, and the rest not yet
    await eventually('PostgreSQL is started', () => embeddedIn(dataDir) !== undefined);
    const end = await early.terminate();
    expect(end.ms).to.be.below(10_000);
    expect(end.code).to.equal(0);
    expect(embeddedIn(dataDir)).to.equal(undefined);
  });

  it('ends in time, with its database, while a body arrives slowly and the mail server hangs', async () => {
    const port = await freePort();
    const asked = Promise.withResolvers<void>();
    const mails = createServer((socket) => {
      socket.on('error', () => undefined);
      asked.resolve();
    }).listen(0, '127.0.0.1');
    await once(mails, 'listening');
    const { port: mailPort } = mails.address() as AddressInfo;
    const service = spawnService(port, dataDir, {
      SMTP_URL: `smtp://127.0.0.1:${mailPort}`,
      MAIL_FROM: 'letters@example.com',
      LOG_LEVEL: 'info',
    });
    await service.ready();
    await registerTestAccount(service.url, 'mailed');
    await asked.promise;
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.write('POST /api/send HTTP/1.1\r\nHost: localhost\r\n');
    socket.write('Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n');
    const writing = setInterval(() => socket.write(' '), 100);
    try {
      const end = await service.terminate();
      expect(end.ms).to.be.below(10_000);
      expect(end.code, service.output()).to.equal(0);
      expect(embeddedIn(dataDir)).to.equal(undefined);
      // On record as one that is tried again, not as one that may have arrived.
      expect(service.output()).to.include('a stop interrupted a mail');
    } finally {
      clearInterval(writing);
      socket.destroy();
      mails.close();
    }
  });

  it('answers what is in flight, loses nothing, exits with 0, and starts again', async () => {
    const port = await freePort();
    let service = spawnService(port, dataDir);
    await service.ready();
    const { key, accountId } = await registerTestAccount(service.url, 'stopped');
    const url = embeddedIn(dataDir)?.url ?? '';
    await withFoundation({ dataDir, databaseUrl: url }, (foundation) =>
      creditWallet(foundation.commands, accountId, 1_000_000_000n),
    );
    const clients = startClients({ url: () => service.url, keys: [key], clients: 8, name: 'stop' });
    await eventually('letters are sent', () => clients.sent.length >= 30);
    const open = await Promise.all([0, 1, 2, 3].map((n) => beginSend(port, key, `open-${n}`)));
    const stopped = service.terminate();
    await eventually('no connection is taken any more', () =>
      fetch(`${service.url}/health`).then(
        () => false,
        () => true,
      ),
    );
    const answers = await Promise.all(open.map((request) => request.finish()));
    for (const answer of answers) {
      expect(answer).to.match(/HTTP\/1\.1 201 /);
      expect(answer).to.match(/^connection: close/im);
    }
    const end = await stopped;
    expect(end.ms).to.be.below(10_000);
    expect(end.code, service.output()).to.equal(0);
    expect(embeddedIn(dataDir)).to.equal(undefined);

    service = spawnService(port, dataDir);
    await service.ready();
    await clients.stop();
    expect(clients.unexpected).to.deep.equal([]);
    await atRest(service.url);
    const databaseUrl = embeddedIn(dataDir)?.url ?? '';
    const audit = await auditMoney(databaseUrl);
    for (const { letterId } of clients.sent) {
      expect(audit.letters.has(String(letterId))).to.equal(true);
    }
    expect(audit.letters.size).to.equal(clients.sent.length + answers.length);
    await assertReadModelsEqual(databaseUrl, audit);
    expect((await service.terminate()).code).to.equal(0);
  });
});
