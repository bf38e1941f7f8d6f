import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { type KafkaBroker, startKafka } from '../support/kafka-broker.ts';
import { followTopic, requireKafka } from '../support/kafka-topic.ts';
import { call, registerTestAccount, sendLetter } from '../support/letter-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { fencesOf, guide, root } from './guides.ts';

type Message = { id: string; subject: string; data: { credential: string; logIndex: number } };
type Verify = (message: Message) => { stream: string; sequence: number } | undefined;

describe('the guide to Kafka', function () {
  this.timeout(180_000);
  let folder: string;
  let broker: KafkaBroker;
  let service: TestService;
  const [verifier = '', consumer = ''] = fencesOf(guide('docs/kafka.md'))
    .filter(({ language }) => language === 'js')
    .map(({ text }) => text);

  before(async function () {
    await requireKafka(this);
    broker = await startKafka();
    service = await startTestService({ KAFKA_BROKERS: broker.brokers.join() });
    folder = await mkdtemp(join(tmpdir(), 'letters-guide-'));
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    await writeFile(join(folder, 'verify.mjs'), verifier);
    await writeFile(join(folder, 'consumer.mjs'), consumer);
    const { body } = await call(service.url, 'GET', '/api/identity/service-did');
    await writeFile(join(folder, 'service.json'), JSON.stringify(body));
    const { key } = await registerTestAccount(service.url, 'kafka-guide');
    for (let n = 0; n < 3; n++) await sendLetter(service.url, key, `guide-${n}`);
  });
  after(async () => {
    await service?.stop();
    await broker?.stop();
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  /** The credentials of the log, as messages. */
  const readMessages = async (): Promise<Message[]> => {
    const { credentials } = service.service.foundation.storage;
    const reader = await followTopic(broker, 'letters.credentials');
    await eventually('credentials of letters are read', async () => {
      const all = await credentials.range(0, 1_000);
      const ids = all.map(({ eventId }) => `urn:uuid:${eventId}`);
      return (
        all.filter(({ stream }) => stream.startsWith('letter-')).length >= 3 && reader.has(ids)
      );
    });
    await reader.stop();
    return reader.received.map(({ event }) => event as unknown as Message);
  };

  it('has a consumer that prints what it verified', async () => {
    const messages = await readMessages();
    const child = spawn(process.execPath, ['--no-warnings', 'consumer.mjs'], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        KAFKA_BROKERS: broker.brokers.join(),
        KAFKAJS_NO_PARTITIONER_WARNING: '1',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    try {
      const wanted = new Set(messages.map(({ id }) => id)).size;
      const lines = () => printed.split('\n').filter((line) => /^\d+ \S+ \S+ \d+$/.test(line));
      await eventually('all are printed', () => lines().length >= wanted);
      expect(printed).to.match(/^\d+ letter\.queued letter-\S+ 1$/m);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  it('verifies what the service signed, each once, and nothing else', async () => {
    const messages = await readMessages();
    const { createVerifier } = await import(pathToFileURL(join(folder, 'verify.mjs')).href);
    const { body: keys } = await call(service.url, 'GET', '/api/identity/service-did');
    const verify: Verify = createVerifier(keys);
    const [first, ...rest] = messages;
    if (!first) throw new Error('there is no message');
    for (const message of messages) expect(verify(message)?.stream).to.equal(message.subject);
    expect(verify(first)).to.equal(undefined);

    const fresh = (): Verify => createVerifier(keys);
    const [header, payload, signature = ''] = first.data.credential.split('.');
    const other = rest.find(({ subject }) => subject !== first.subject);
    const again = messages.filter(({ subject }) => subject.startsWith('wallet-'));
    const withCredential = (credential: string): Message => ({
      ...first,
      data: { ...first.data, credential },
    });
    const flipped = (signature[0] === 'A' ? 'B' : 'A') + signature.slice(1);
    expect(() => fresh()(withCredential(`${header}.${payload}.${flipped}`))).to.throw(
      'the signature is wrong',
    );
    expect(() => fresh()({ ...first, subject: other?.subject ?? '' })).to.throw('something else');
    expect(() => createVerifier({ ...(keys as object), kid: 'did:key:z#z' })(first)).to.throw(
      "is not the service's",
    );
    const gap = fresh();
    const [one, , three] = again;
    if (!one || !three) throw new Error('the wallet has too few events');
    gap(one);
    expect(() => gap(three)).to.throw('misses what is after 1');
  });

  it('is told when the log was set back: a sequence that comes again with another id', async () => {
    const messages = await readMessages();
    const { createVerifier } = await import(pathToFileURL(join(folder, 'verify.mjs')).href);
    const { body: keys } = await call(service.url, 'GET', '/api/identity/service-did');
    const verify: Verify = createVerifier(keys);
    for (const message of messages) verify(message);
    const wallet = messages.filter(({ subject }) => subject.startsWith('wallet-')).at(-1);
    if (!wallet) throw new Error('there is no credential of a wallet');
    // As the restored service signs it: the same place in the stream, another event.
    const identity = service.service.foundation.keys.serviceKeys;
    const [header = '', payload = ''] = wallet.data.credential.split('.');
    const said = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const jti = `urn:uuid:${crypto.randomUUID()}`;
    const other = Buffer.from(JSON.stringify({ ...said, jti })).toString('base64url');
    const signature = identity.signingKey('credential').sign(`${header}.${other}`);
    const credential = `${header}.${other}.${signature.toString('base64url')}`;
    const again = { ...wallet, id: jti, data: { ...wallet.data, credential } };
    expect(() => verify(again)).to.throw('the log was set back');
    expect(verify(wallet)).to.equal(undefined);
  });
});
