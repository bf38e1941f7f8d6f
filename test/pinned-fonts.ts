/**
 * Loaded before every test file. Poppler replaces fonts that a PDF does not embed; the replacement must not
 * depend on the fonts of the machine.
 */
import { fileURLToPath } from 'node:url';

process.env.FONTCONFIG_FILE = fileURLToPath(new URL('./fonts.conf', import.meta.url));
