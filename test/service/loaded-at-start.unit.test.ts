import { execFileSync } from 'node:child_process';
import { expect } from 'chai';

/** Prints the packages and pages that are loaded with the program `service/…`, before anything is opened. */
const program = `
  import { registerHooks } from 'node:module';
  const packages = new Set();
  const pages = [];
  await import('./service/quick-start.js');
  registerHooks({
    load(url, context, next) {
      const name = /.*node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1];
      if (name !== undefined) packages.add(name);
      else if (url.includes('/pages/')) pages.push(url.slice(url.indexOf('/pages/') + 1));
      return next(url, context);
    },
  });
  await import('./service/run/compose.ts');
  const builtIn = process.moduleLoadList;
  console.log(JSON.stringify({ packages: [...packages], pages, builtIn }));
`;

describe('what is loaded at the start', () => {
  const root = new URL('../..', import.meta.url);

  const load = (): { packages: string[]; pages: string[]; builtIn: string[] } => {
    const args = ['--input-type=module', '--eval', program];
    return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
  };

  it('is nothing that most installations never use, or use seldom', () => {
    const { packages, pages, builtIn } = load();
    expect(packages).to.include('koa');
    expect(pages).to.include('pages/home/home-page.ts');
    // The background process and the operator's commands show no pages.
    const shown =
      /^pages\/(console\/(portal|routes|operator\/operator-portal)|reference\/site)\.ts$/;
    expect(pages.filter((path) => shown.test(path))).to.deep.equal([]);
    const seldom =
      /^(@modelcontextprotocol|@x402|viem|ox|stripe|kafkajs|@eventstore|@grpc|puppeteer|@cantoo|@hyzyla|fontkit|harfbuzzjs|@opentelemetry\/(?!api$)|undici|zod|did-jwt|typebox|pngjs)/;
    expect(packages.filter((name) => seldom.test(name))).to.deep.equal([]);
    expect(builtIn).to.include('NativeModule _http_server');
    expect(builtIn.filter((name) => name.includes('deps/undici/undici'))).to.deep.equal([]);
  });
});
