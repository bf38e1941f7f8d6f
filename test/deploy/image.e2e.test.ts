import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { call, letterBody, registerTestAccount } from '../support/letter-client.ts';
import { freePort } from '../support/service-process.ts';
import { type Container, makeVolume, startContainer } from './container.ts';
import { type BuiltImages, builtFile, commitHere, type Target, targets } from './tools.ts';

const built = async (): Promise<BuiltImages | undefined> => {
  const text = await readFile(builtFile, 'utf8').catch(() => undefined);
  const images = text === undefined ? undefined : (JSON.parse(text) as BuiltImages);
  return images?.commit === (await commitHere()) ? images : undefined;
};
const images = await built();

/** The most that an image takes, unpacked. */
const mostBytes: Record<Target, number> = { letters: 900e6, 'letters-nohtml': 450e6 };

/** Folders and packages for development only. */
const developed = ['test', 'bench', 'clients', 'mocha', 'chai', 'typescript', '@biomejs/biome'];

const pdfOf = async (url: string, key: string, letter: unknown): Promise<Buffer> => {
  const headers = { Authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/api/letters/${letter}/document.pdf`, { headers });
  expect(response.status).to.equal(200);
  return Buffer.from(await response.arrayBuffer());
};

describe('the image', function () {
  this.timeout(240_000);
  const running: Container[] = [];
  afterEach(async () => {
    for (const one of running.splice(0)) await one.remove();
  });

  const start = async (
    { images }: BuiltImages,
    target: Target,
    volume: string,
    env?: Record<string, string>,
  ) => {
    const container = await startContainer(images[target], volume, await freePort(), env);
    running.push(container);
    await container.ready();
    return container;
  };

  if (images === undefined) {
    it('was not built from this commit: node test/deploy/build-image.ts builds it', () => {});
    return;
  }

  for (const target of targets) {
    it(`${target}: holds only what runs in production`, async () => {
      const { rootfs, bytes, config } = images.images[target];
      console.log(`      ${target}: ${Math.round(bytes / 1e6)} MB unpacked`);
      expect(bytes).to.be.at.most(mostBytes[target]);
      expect(config.User).to.equal('10001:10001');
      expect(config.Cmd[0]).to.equal('node');
      const program = join(rootfs, 'opt', 'letters');
      const own = await readdir(program);
      expect(own).to.include.members(['service', 'operator', 'docs', 'node_modules']);
      expect(own.filter((name) => developed.includes(name))).to.deep.equal([]);
      const packages = await readdir(join(program, 'node_modules'), { recursive: true });
      expect(packages.filter((name) => developed.includes(name))).to.deep.equal([]);
      expect(packages.filter((path) => /\.map$|\.d\.[cm]?ts$/.test(path))).to.deep.equal([]);
    });
  }

  it('prints an HTML letter in the sandbox, on a root that nobody can write to', async () => {
    const volume = await makeVolume();
    const container = await start(images, 'letters', volume);
    expect(await container.exec(...images.images.letters.healthCheck.slice(1))).to.equal(0);
    expect(await container.exec('touch', '/opt/letters/service/main.js')).to.equal(1);
    const { key } = await registerTestAccount(container.url, 'image');
    const body = { ...letterBody('<h1>Hello by post.</h1>'), content_type: 'html' };
    const sent = await call(container.url, 'POST', '/api/send', { key, body });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(201);
    const { letter_id: letter } = sent.body;
    const pdf = await pdfOf(container.url, key, letter);
    expect(pdf.subarray(0, 5).toString()).to.equal('%PDF-');
    expect(container.output()).to.not.include('without its sandbox');
    expect(await container.terminate()).to.equal(0);

    const again = await start(images, 'letters', volume);
    expect(await pdfOf(again.url, key, letter)).to.deep.equal(pdf);
    expect(await again.terminate()).to.equal(0);
  });

  it('without a browser prints text and refuses HTML', async () => {
    const container = await start(images, 'letters-nohtml', await makeVolume());
    const { key } = await registerTestAccount(container.url, 'image');
    const send = (content: string, content_type: string) =>
      call(container.url, 'POST', '/api/send', {
        key,
        body: { ...letterBody(content), content_type },
      });
    expect((await send('Hello by post.', 'text')).status).to.equal(201);
    const refused = await send('<p>Hello by post.</p>', 'html');
    expect([refused.status, refused.body.code]).to.deep.equal([503, 'html_unavailable']);
    expect(await container.terminate()).to.equal(0);
  });

  it('is unhealthy while nothing is ready', async () => {
    const container = await start(images, 'letters-nohtml', await makeVolume());
    const check = images.images['letters-nohtml'].healthCheck.slice(1);
    expect(await container.exec(...check)).to.equal(0);
    expect(await container.exec('env', 'PORT=1', ...check)).to.equal(1);
    expect(await container.terminate()).to.equal(0);
  });
});
