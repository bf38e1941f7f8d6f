import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

/** Prints the packages that are loaded with the program `service/…`, before anything is opened. */
const program = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  await import('./service/run/compose.ts');
  console.log(JSON.stringify([...packages]));
`;

describe('what is loaded at the start', () => {
  const root = new URL('../..', import.meta.url);

  it('is nothing that most installations never use, or use seldom', () => {
    const args = ['--input-type=module', '--eval', program];
    const loaded: string[] = JSON.parse(
      execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }),
    );
    expect(loaded).to.include('koa');
    const seldom =
      /^(@modelcontextprotocol|@x402|viem|ox|stripe|kafkajs|@eventstore|@grpc|puppeteer|@cantoo|@hyzyla|fontkit|harfbuzzjs|@opentelemetry\/(?!api$)|undici|zod|did-jwt|typebox|pngjs)/;
    expect(loaded.filter((name) => seldom.test(name))).to.deep.equal([]);
  });
});
