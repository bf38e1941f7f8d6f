import type { LetterSheet } from '../../../postal/text-layout.ts';

const a4 = { format: 'A4', page: { width: 210, height: 297 } } as const;

/** Like DIN 5008 form B: the sender line stands over the recipient. */
export const dinSheet: LetterSheet = {
  ...a4,
  window: { x: 25, y: 62.7, width: 80, height: 27.3 },
  senderLine: { x: 25, y: 57.7, width: 80, height: 5 },
  bodyTop: 98.5,
  margins: { top: 25, right: 20, bottom: 25, left: 25 },
  foldMarks: [105, 210],
};

/** Like the French right-hand window. */
export const frenchSheet: LetterSheet = {
  ...a4,
  window: { x: 105, y: 42, width: 90, height: 36 },
  senderLine: { x: 20, y: 20, width: 75, height: 5 },
  bodyTop: 98,
  margins: { top: 20, right: 20, bottom: 20, left: 20 },
  foldMarks: [99, 198],
};

/** Like a US #10 double window envelope. */
export const usSheet: LetterSheet = {
  format: 'Letter',
  page: { width: 215.9, height: 279.4 },
  window: { x: 15.9, y: 44.5, width: 101.6, height: 25.4 },
  senderLine: { x: 15.9, y: 12.7, width: 82.6, height: 22.2 },
  bodyTop: 95,
  margins: { top: 19, right: 19, bottom: 19, left: 19 },
  foldMarks: [93.1, 186.3],
};
