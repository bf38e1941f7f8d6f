import type { Log } from '../../ground/log.ts';
import { type Chromium, startChromium } from './chromium.ts';
import type { ChromiumBinary } from './chromium-binary.ts';
import { noSandboxWarning, sandboxHere } from './chromium-sandbox.ts';

/** Starts the browser, in a sandbox where it starts in one. */
export async function startSandboxed(
  binary: ChromiumBinary,
  log: Pick<Log, 'warn'>,
): Promise<Chromium> {
  const sandbox = await sandboxHere();
  try {
    return await startChromium(binary, sandbox);
  } catch (error) {
    if (sandbox === 'none') throw error;
    const chromium = await startChromium(binary, 'none');
    log.warn({ error }, noSandboxWarning);
    return chromium;
  }
}
