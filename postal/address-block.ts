import type { FontMetrics } from './line-breaker.ts';
import { type LetterSheet, mmPerPt } from './text-layout.ts';
import type { Box } from './types.ts';

/** Lines set at one size. `xMm`, `yMm` are the start of the first baseline. */
export type FittedBlock = {
  lines: string[];
  fontSizePt: number;
  lineHeightPt: number;
  xMm: number;
  yMm: number;
};

/** Between a sender line and the recipient under it. */
const gapMm = 2;
/** A sender line that ends this near above the window stands in the window of the envelope too. */
const nearMm = 6;
/** How far a block is moved right to stand on the left edge of the text. */
const alignedWithinMm = 10;
const recipientSizesPt = [11, 10.5, 10, 9.5, 9, 8.5, 8, 7.5, 7];
const returnBlockSizesPt = [9, 8.5, 8, 7.5, 7, 6.5, 6, 5.5];
const returnLineSizesPt = [8, 7.5, 7, 6.5, 6, 5.5];
const lineHeight = 1.2;
/** From the baseline up to the accents of capitals, and down, as parts of the font size (Noto Sans). */
const ascent = 1.069;
const descent = 0.293;
/** A sender box of less than this takes one line. */
const returnBlockFromMm = 10;

/** Width of a text set without kerning, or as it is shaped. */
export function textWidthMm(text: string, fontSizePt: number, metrics: FontMetrics): number {
  let units = 0;
  if (metrics.shaping?.needed(text)) {
    for (const advance of Array.from(metrics.shaping.advances(text))) units += advance;
    return (units / metrics.unitsPerEm) * fontSizePt * mmPerPt;
  }
  for (const character of text) {
    units += metrics.advance(character.codePointAt(0) ?? 0) ?? metrics.unitsPerEm;
  }
  return (units / metrics.unitsPerEm) * fontSizePt * mmPerPt;
}

const isLine = (senderLine: Box): boolean => senderLine.height < returnBlockFromMm;

const standsOver = (sender: Box, window: Box): boolean => {
  const gap = window.y - (sender.y + sender.height);
  const beside = sender.x >= window.x + window.width || window.x >= sender.x + sender.width;
  return !beside && gap < nearMm;
};

/** The text in a box starts at the body's left edge where the box allows it. */
function textArea(box: Box, sheet: LetterSheet): Box {
  const x = Math.min(Math.max(sheet.margins.left, box.x), box.x + alignedWithinMm);
  return { ...box, x, width: box.x + box.width - x };
}

const widest = (lines: string[], metrics: FontMetrics): number =>
  Math.max(0, ...lines.map((line) => textWidthMm(line, 1, metrics)));

const heightMm = (count: number, fontSizePt: number): number =>
  ((count - 1) * lineHeight + ascent + descent) * fontSizePt * mmPerPt;

function largestFitting(
  lines: string[],
  area: Box,
  sizesPt: number[],
  metrics: FontMetrics,
): number | undefined {
  const width = widest(lines, metrics);
  return sizesPt.find(
    (size) => width * size <= area.width && heightMm(lines.length, size) <= area.height,
  );
}

const block = (lines: string[], fontSizePt: number, xMm: number, topMm: number): FittedBlock => ({
  lines,
  fontSizePt,
  lineHeightPt: fontSizePt * lineHeight,
  xMm,
  yMm: topMm + ascent * fontSizePt * mmPerPt,
});

/**
 * Sets the recipient in the window at the largest size from 11 down to 7 pt that fits: close
 * under the sender line if there is one above it, otherwise in the middle of its height, so that a letter which
 * slips in its envelope still shows every line. Undefined when 7 pt is too large.
 */
export function fitRecipient(
  lines: string[],
  sheet: LetterSheet,
  metrics: FontMetrics,
): FittedBlock | undefined {
  const { window, senderLine } = sheet;
  const area = textArea(window, sheet);
  const underSender = standsOver(senderLine, window);
  const top = underSender ? Math.max(window.y, senderLine.y + senderLine.height) + gapMm : window.y;
  const height = window.y + window.height - top;
  const size = largestFitting(lines, { ...area, height }, recipientSizesPt, metrics);
  if (size === undefined) return undefined;
  const slack = underSender ? 0 : (height - heightMm(lines.length, size)) / 2;
  return block(lines, size, area.x, top + slack);
}

/** Each keeps its own direction, and the row runs from left to right (FSI and PDI of UAX #9). */
const isolated = (lines: string[], { shaping }: FontMetrics): string[] =>
  lines.some((line) => shaping?.needed(line)) ? lines.map((line) => `\u2068${line}\u2069`) : lines;

/** Joins the lines into `rows` rows of about the same width. */
function joined(given: string[], rows: 1 | 2, metrics: FontMetrics): string[] {
  const lines = isolated(given, metrics);
  if (rows === 1) return [lines.join(' · ')];
  const splits = lines
    .slice(1)
    .map((_, i) => [lines.slice(0, i + 1).join(' · '), lines.slice(i + 1).join(' · ')]);
  const [best] = splits.sort((a, b) => widest(a, metrics) - widest(b, metrics));
  return best ?? [lines.join(' · ')];
}

/**
 * Sets the sender: as one small line (two if it must) in a low box, as a block of lines in a high
 * one. Undefined when 5.5 pt is too large.
 */
export function fitSender(
  lines: string[],
  sheet: LetterSheet,
  metrics: FontMetrics,
): FittedBlock | undefined {
  const box = sheet.senderLine;
  const area = textArea(box, sheet);
  if (!isLine(box)) {
    const size = largestFitting(lines, area, returnBlockSizesPt, metrics);
    return size === undefined ? undefined : block(lines, size, area.x, box.y);
  }
  for (const rows of [1, 2] as const) {
    const text = joined(lines, rows, metrics);
    const size = largestFitting(text, area, returnLineSizesPt, metrics);
    if (size === undefined) continue;
    const top = box.y + box.height - heightMm(text.length, size);
    return block(text, size, area.x, top);
  }
  return undefined;
}
