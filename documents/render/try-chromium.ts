/**
 * A program that starts the browser for HTML letters once, as letters do, and ends: exit 0 when it starts. In a
 * process of its own, so that nothing of it stays in the memory of the service.
 * Argument: the path of a Chromium; empty: the one that is shipped.
 */
import { messageOf } from '../../ground/message-of.ts';
import { prepareChromium } from './chromium-binary.ts';
import { startSandboxed } from './start-sandboxed.ts';

const silent = { warn: () => {} };

try {
  const executablePath = process.argv[2] || undefined;
  const chromium = await startSandboxed(await prepareChromium({ executablePath }), silent);
  await chromium.kill();
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
