/**
 * A process that imports this module first starts in half the time and takes less memory. JavaScript, because node
 * would load its compiler for it, and keep 20 MB of it for good.
 */
import { enableCompileCache, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * An import in our sources names its file. Node would look on the disk for the file, for links on the way to it and for
 * its package, a thousand times.
 */
const resolve = (specifier, context, next) => {
  const { parentURL } = context;
  const isOurs =
    specifier.startsWith('.') && specifier.endsWith('.ts') && !parentURL.includes('/node_modules/');
  if (!isOurs) return next(specifier, context);
  const { href } = new URL(specifier, parentURL);
  return { url: href, format: 'module-typescript', shortCircuit: true };
};

// What node makes of the sources is kept.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
registerHooks({ resolve });
