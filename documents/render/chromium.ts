import { readFile, rm } from 'node:fs/promises';
import puppeteer, { type Browser, type CDPSession, type Page } from 'puppeteer-core';
import type { Edges } from '../../postal/geometry.ts';
import { type ChromiumBinary, makeProfileDir } from './chromium-binary.ts';
import { asOrdinaryUser, namespaceProgram, type Sandbox, sandboxHere } from './chromium-sandbox.ts';
import {
  type Area,
  areaExpression,
  type Measured,
  measureExpression,
  revealExpression,
} from './measure-html.ts';
import { marginOverflowsExpression } from './measure-margin-boxes.ts';

export type PrintJob = {
  html: string;
  page: { width: number; height: number };
  /** Of the text where the letter says nothing about it, and what the printer cannot reach; mm. */
  margins: Edges;
  /** Print a second time with all of its text in sight. */
  reveal: boolean;
  /** Printing stops after one more page than this. */
  pagesMax: number;
};

/** The page as it looks when it is printed. */
export type Inspection = {
  text: string;
  images: number;
  unreadableImages: number;
  /** It brings fonts, and it is set in one of them: a font that cannot be read or is not used prints nothing. */
  bringsFonts: boolean;
  usesOwnFonts: boolean;
};
/** `revealed`: the position of its text, if the PDF itself does not show it. */
export type Printed = { pdf: Buffer; measured: Measured; revealed?: Buffer } & Inspection;

/** One browser with one page. A job that fails leaves it in no state to be used again. */
export type Chromium = {
  pid: number;
  print(job: PrintJob): Promise<Printed>;
  /** Private and shared memory of all of its processes, the shared counted once. */
  memoryBytes(): Promise<number>;
  isAlive(): boolean;
  /**
   * Aborts when the browser or its page dies. A signal, because a promise would keep the letter of each race against it
   * as long as the browser lives.
   */
  died: AbortSignal;
  kill(): Promise<void>;
};

const address = 'https://letter.invalid/';
/** Nothing is fetched, nothing runs, whatever the HTML says. */
const policy =
  "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

const flags = [
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-software-rasterizer',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disk-cache-size=1',
  '--js-flags=--jitless',
  '--disable-features=Translate,BackForwardCache,NetworkPrediction,SpeculationRules',
  '--force-color-profile=srgb',
  '--lang=en',
  '--enable-begin-frame-control',
];

const startTimeoutMs = 20_000;

/** The browser gets none of our environment: no secret of ours is in its reach. */
const environment = (
  { fontConfigFile }: ChromiumBinary,
  profileDir: string,
  libraryPath?: string,
) => ({
  FONTCONFIG_FILE: fontConfigFile,
  HOME: profileDir,
  TMPDIR: profileDir,
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  TZ: 'UTC',
  ...(libraryPath === undefined ? {} : { LD_LIBRARY_PATH: libraryPath }),
});

/** The program to run, and what with. */
async function programOf({ path }: ChromiumBinary, profileDir: string, sandbox: Sandbox) {
  if (sandbox === 'own') return { executablePath: path, args: flags };
  if (sandbox === 'none') return { executablePath: path, args: ['--no-sandbox', ...flags] };
  const options = { headless: 'shell' as const, userDataDir: profileDir, args: flags };
  const usual = await puppeteer.defaultArgs(options);
  return {
    executablePath: namespaceProgram,
    ignoreDefaultArgs: true,
    args: [...asOrdinaryUser, path, ...usual],
  };
}

const start = async (
  binary: ChromiumBinary,
  profileDir: string,
  sandbox: Sandbox,
  libraryPath?: string,
): Promise<Browser> =>
  puppeteer.launch({
    ...(await programOf(binary, profileDir, sandbox)),
    headless: 'shell',
    // No port: the browser hears us alone, and ends when we do.
    pipe: true,
    env: environment(binary, profileDir, libraryPath),
    userDataDir: profileDir,
    timeout: startTimeoutMs,
    protocolTimeout: 0,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    defaultViewport: null,
  });

const startWithLibraries = (
  binary: ChromiumBinary,
  profileDir: string,
  sandbox: Sandbox,
): Promise<Browser> =>
  start(binary, profileDir, sandbox).catch((error: unknown) => {
    if (binary.libraryPath === undefined) throw error;
    return start(binary, profileDir, sandbox, binary.libraryPath);
  });

/** Answers the request for the empty document of `openDocument` and lets no other out. */
async function answerRequests(session: CDPSession): Promise<void> {
  session.on('Fetch.requestPaused', ({ requestId, request, resourceType }) => {
    const isDocument = request.url === address && resourceType === 'Document';
    const answered = isDocument
      ? session.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 200,
          responseHeaders: [
            { name: 'Content-Type', value: 'text/html; charset=utf-8' },
            { name: 'Content-Security-Policy', value: policy },
          ],
          body: Buffer.from('<!DOCTYPE html>').toString('base64'),
        })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' });
    answered.catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
}

/** Runs what fires the load event of the page, and waits for it. */
async function untilLoaded(session: CDPSession, begin: () => Promise<unknown>): Promise<void> {
  const loaded = new Promise((resolve) => session.once('Page.loadEventFired', resolve));
  await begin();
  await loaded;
}

/**
 * Opens the document that every letter of the page is written into, under the policy above. Opening one for each
 * letter would take two thirds of the time of a letter. Returns the id of its frame.
 */
async function openDocument(session: CDPSession): Promise<string> {
  let frameId = '';
  await untilLoaded(session, async () => {
    const opened = await session.send('Page.navigate', { url: address });
    if (opened.errorText !== undefined) throw new Error(`no document opens: ${opened.errorText}`);
    frameId = opened.frameId;
  });
  return frameId;
}

async function shutOff(session: CDPSession): Promise<void> {
  await session.send('Page.enable');
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: true,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  await session.send('Network.setBypassServiceWorker', { bypass: true });
  await session.send('Emulation.setScriptExecutionDisabled', { value: true });
  await session.send('Emulation.setEmulatedMedia', { media: 'print' });
}

/**
 * Ours, by the debugger: the letter's own scripts are off. Where a letter is wider than the page, the
 * table cells with words of more than thirty characters are marked `data-wide` and may break them.
 */
const inspect = `document.fonts.ready.then(() => {
  const { body, documentElement, fonts, images } = document;
  if (documentElement.scrollWidth > innerWidth) {
    for (const cell of document.querySelectorAll('td, th')) {
      cell.toggleAttribute('data-wide', /\\S{31}/.test(cell.textContent));
    }
  }
  const shown = [...images].filter((image) => image.getClientRects().length > 0);
  const unreadable = shown.filter((image) => image.naturalWidth === 0);
  return {
    text: body.innerText,
    images: shown.length,
    unreadableImages: unreadable.length,
    bringsFonts: fonts.size > 0,
    usesOwnFonts: [...fonts].some(({ status }) => status === 'loaded'),
  };
})`;

/** The viewport is as large as the text area of a page, px. */
const setViewport = (session: CDPSession, width: number, height: number) =>
  session.send('Emulation.setDeviceMetricsOverride', {
    width: Math.floor(width),
    height: Math.floor(height),
    deviceScaleFactor: 1,
    mobile: false,
  });

/** Of an expression of ours. */
async function evaluate<T>(session: CDPSession, expression: string): Promise<T> {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(`the page cannot be inspected: ${exceptionDetails.text}`);
  return result.value as T;
}

/** Replaces everything that the letter before left in the document. */
async function load(session: CDPSession, frameId: string, job: PrintJob): Promise<void> {
  const { page, margins, html } = job;
  const px = 96 / 25.4;
  await setViewport(session, (page.width - margins.left - margins.right) * px, page.height * px);
  await untilLoaded(session, () => session.send('Page.setDocumentContent', { frameId, html }));
}

async function toPdf(session: CDPSession, { page, pagesMax }: PrintJob): Promise<Buffer> {
  const { data } = await session.send('Page.printToPDF', {
    paperWidth: page.width / 25.4,
    paperHeight: page.height / 25.4,
    printBackground: true,
    preferCSSPageSize: false,
    generateTaggedPDF: false,
    generateDocumentOutline: false,
    pageRanges: `1-${pagesMax + 1}`,
    // In memory, because a stream would be a temporary file.
    transferMode: 'ReturnAsBase64',
  });
  return Buffer.from(data, 'base64');
}

async function printPage(session: CDPSession, frameId: string, job: PrintJob): Promise<Printed> {
  await load(session, frameId, job);
  const area = await evaluate<Area>(session, areaExpression(job));
  await setViewport(session, area.width, area.leastHeight);
  const inspection = await evaluate<Inspection>(session, inspect);
  const measured = await evaluate<Measured>(session, measureExpression(area));
  const inMargins = await evaluate<Measured['overflows']>(session, marginOverflowsExpression(job));
  measured.overflows.push(...inMargins);
  const pdf = await toPdf(session, job);
  const changed = job.reveal && (await evaluate<boolean>(session, revealExpression));
  const revealed = changed ? { revealed: await toPdf(session, job) } : {};
  return { pdf, measured, ...revealed, ...inspection };
}

/** Without scripts nothing starts the collector, and each letter would leave 3 MB behind. */
const lettersPerCollection = 20;
const bytesPerPage = 4096;

/** Resident and shared bytes of a process; nothing where there is no such process or no /proc. */
async function residentOf(pid: number): Promise<{ own: number; shared: number }> {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '0 0 0');
  const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
  return { own: (resident - shared) * bytesPerPage, shared: shared * bytesPerPage };
}

async function memoryOf(root: CDPSession): Promise<number> {
  const { processInfo } = await root.send('SystemInfo.getProcessInfo');
  const processes = await Promise.all(processInfo.map(({ id }) => residentOf(id)));
  const own = processes.reduce((sum, process) => sum + process.own, 0);
  return own + Math.max(0, ...processes.map(({ shared }) => shared));
}

function deathOf(browser: Browser, session: CDPSession): AbortSignal {
  const death = new AbortController();
  browser.once('disconnected', () => death.abort(new Error('the browser died')));
  session.once('Inspector.targetCrashed', () => death.abort(new Error('the page crashed')));
  return death.signal;
}

/** Ends the browser and its children, a page that is busy included: puppeteer gave them a group. */
async function killTree(browser: Browser): Promise<void> {
  const child = browser.process();
  if (!child?.pid) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const running = child.exitCode === null && child.signalCode === null;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
  if (running) await exited;
}

/**
 * The page that letters are printed on. It paints nothing on a screen: frames that nobody asks for take 40 % of the
 * time of a letter. A browser that cannot do so (only the headless shell can) gets a page that paints.
 */
async function openPage(browser: Browser, root: CDPSession): Promise<Page> {
  const [first] = await browser.pages();
  try {
    await root.send('Target.createTarget', {
      url: 'about:blank',
      enableBeginFrameControl: true,
    });
    const target = await browser.waitForTarget(
      (one) => one.type() === 'page' && one !== first?.target(),
    );
    const page = await target.page();
    if (page === null) throw new Error('the new target is no page');
    await first?.close();
    return page;
  } catch {
    return first ?? (await browser.newPage());
  }
}

/**
 * Starts a browser without network, scripts or files, with one page.
 * @param sandbox by default the one that the machine allows
 * @throws Error when it does not start: libraries are missing, or the machine has no such sandbox
 */
export async function startChromium(binary: ChromiumBinary, sandbox?: Sandbox): Promise<Chromium> {
  const profileDir = await makeProfileDir(binary);
  const removeProfile = () => rm(profileDir, { recursive: true, force: true, maxRetries: 5 });
  const browser = await startWithLibraries(
    binary,
    profileDir,
    sandbox ?? (await sandboxHere()),
  ).catch(async (error: unknown) => {
    await removeProfile();
    throw error;
  });
  const child = browser.process();
  const root = await browser.target().createCDPSession();
  const page = await openPage(browser, root);
  const session = await page.createCDPSession();
  const died = deathOf(browser, session);
  let letters = 0;
  await answerRequests(session);
  await shutOff(session);
  const frameId = await openDocument(session);
  return {
    pid: child?.pid ?? 0,
    died,
    async print(job) {
      if (++letters % lettersPerCollection === 0) {
        await session.send('HeapProfiler.collectGarbage');
      }
      return printPage(session, frameId, job);
    },
    memoryBytes: () => memoryOf(root),
    isAlive: () => browser.connected,
    async kill() {
      await killTree(browser);
      await removeProfile();
    },
  };
}
