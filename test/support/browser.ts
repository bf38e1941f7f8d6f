import { rm } from 'node:fs/promises';
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core';
import { makeProfileDir, prepareChromium } from '../../documents/render/chromium-binary.ts';

/** A page that records its requests and its complaints. */
const openPage = async (
  place: Browser | BrowserContext,
): Promise<{ page: Page; requests: string[]; complaints: string[] }> => {
  const page = await place.newPage();
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warn') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  return { page, requests, complaints };
};

/** A headless browser for pages of the service. */
export const startBrowser = async () => {
  const binary = await prepareChromium({});
  const profile = await makeProfileDir(binary);
  const launch = (libraryPath?: string): Promise<Browser> =>
    puppeteer.launch({
      executablePath: binary.path,
      args: [
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--in-process-gpu',
        '--disable-software-rasterizer',
        '--disable-dev-shm-usage',
      ],
      headless: 'shell',
      pipe: true,
      userDataDir: profile,
      env: {
        FONTCONFIG_FILE: binary.fontConfigFile,
        HOME: profile,
        TMPDIR: profile,
        PATH: '/usr/bin:/bin',
        ...(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath }),
      },
    });
  const browser = await launch().catch(() => launch(binary.libraryPath));
  return {
    open: () => openPage(browser),
    /** Pages with cookies of their own. */
    async separate() {
      const context = await browser.createBrowserContext();
      return { open: () => openPage(context), close: () => context.close() };
    },
    async stop(): Promise<void> {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
};
