import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What node makes of the source is kept: a start takes half the time, and less memory. */
export const useCompiled = () =>
  enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/compiled', import.meta.url)));
