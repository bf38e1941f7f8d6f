import type { Box } from './types.ts';

export const findingCodes = [
  'not_a_pdf',
  'pdf_too_large',
  'pdf_damaged',
  'pdf_encrypted',
  'pdf_javascript',
  'pdf_embedded_files',
  'pdf_launch_action',
  'pdf_xfa',
  'pdf_hidden_layers',
  'pdf_user_unit',
  'pdf_too_complex',
  'no_pages',
  'too_many_pages',
  'page_size',
  'page_landscape',
  'mixed_page_sizes',
  'font_not_embedded',
  'ink_in_address_window',
  'ink_in_no_print_zone',
  'ink_outside_safe_area',
  'invisible_text_in_control_zone',
  'tiny_text_in_control_zone',
  'empty_page',
  'not_printed',
  'small_type',
  'image_shrunk',
  'fixed_element',
  'hidden_text',
  'address_mismatch',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** A shift in mm: x to the right, y down. */
export type Shift = { x: number; y: number };

export type Finding = {
  code: FindingCode;
  /** From 1; null where it is about the whole document. */
  page: number | null;
  /** The zone that must be free. */
  zone?: string;
  /** The box of the ink in the zone, mm from the top left of the page. */
  box_mm?: Box;
  /** The smallest shift that takes it out of the zone; absent where a shift is not enough. */
  move_mm?: Shift;
  severity: 'error' | 'warning';
  /** Selects the sentence of the console where one code has several; it is not in the answer. */
  kind?: 'unfit' | 'every_page' | 'redaction';
  /** Advice to the sender. */
  hint: string;
};

/** A finding in the answer: every member is present, and null if it does not apply. */
export const wholeFinding = (finding: Finding) => {
  const { code, page, severity, hint, zone = null, box_mm = null, move_mm = null } = finding;
  return { code, severity, page, zone, box_mm, move_mm, hint };
};

export const error = (
  code: FindingCode,
  page: number | null,
  hint: string,
  more = {},
): Finding => ({
  code,
  page,
  severity: 'error',
  hint,
  ...more,
});

/** Findings about the document as a whole that need no measuring. `detail` completes the hint. */
export const documentFinding = (code: keyof typeof documentHints, detail = ''): Finding =>
  error(code, null, `${documentHints[code]}${detail === '' ? '' : ` ${detail}`}`);

const documentHints = {
  not_a_pdf: 'The document is not a PDF: it does not start with %PDF-. Export the letter as PDF.',
  pdf_too_large: 'The document has too many bytes. Reduce the resolution of its images.',
  pdf_damaged: 'The document is damaged or cut off. Export it again and upload the whole file.',
  pdf_encrypted: 'The document is encrypted. Save it without password and without restrictions.',
  pdf_javascript: 'The document contains JavaScript. Print it to a new PDF, which removes it.',
  pdf_embedded_files:
    'The document has files attached to it, such as the data of an electronic invoice (ZUGFeRD, Factur-X). Save it without attachments, or print it to a new PDF, which removes them.',
  pdf_launch_action: 'The document starts programs. Print it to a new PDF, which removes them.',
  pdf_xfa:
    'The document is an XFA form, which readers show differently. Print it to a new PDF, which removes the form.',
  pdf_hidden_layers:
    'The document has layers that are hidden or only shown on screen. Show or delete them, and print it to a new PDF.',
  pdf_user_unit:
    'The document has pages with their own unit (UserUnit), which printers read differently. Export it again without the unit, or send with auto_fix: true.',
  pdf_too_complex:
    'The document takes too much time or memory to render. Print it to a new PDF or simplify it.',
  no_pages: 'The document has no pages. Export the letter again.',
} satisfies Partial<Record<FindingCode, string>>;

/** @param addressPages of ours that are printed with it */
export const tooManyPages = (pageCount: number, maxPages: number, addressPages = 0): Finding => {
  const printed = addressPages === 0 ? '' : `, ${pageCount + addressPages} with its address page`;
  return error(
    'too_many_pages',
    null,
    `The document has ${pageCount} pages${printed}; at most ${maxPages} can be sent. Split it or remove pages.`,
  );
};

export const hasErrors = (findings: readonly Finding[]): boolean =>
  findings.some(({ severity }) => severity === 'error');
