import { startBrowser } from './browser.ts';

/** The browser of this process. The first test that needs it starts it. */
let started: ReturnType<typeof startBrowser> | undefined;

after(async () => {
  await (await started)?.stop();
});

/** A browser for the tests of a file. It shares no cookies with those of other files. */
export const useBrowser = () => {
  let context: Awaited<ReturnType<Awaited<ReturnType<typeof startBrowser>>['separate']>>;
  before(async () => {
    started ??= startBrowser();
    context = await (await started).separate();
  });
  after(() => context?.close());
  return { open: () => context.open() };
};
