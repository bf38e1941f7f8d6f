/**
 * Loaded before every test file: what poppler draws in place of a font that a PDF does not embed must not
 * depend on what the machine has installed.
 */
import { fileURLToPath } from 'node:url';

process.env.FONTCONFIG_FILE = fileURLToPath(new URL('./fonts.conf', import.meta.url));
