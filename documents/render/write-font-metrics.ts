/** Writes font-metrics.json anew from the font: `node documents/render/write-font-metrics.ts`. */
import { writeFileSync } from 'node:fs';
import { type MetricsTable, metricsFile } from './font-metrics.ts';
import { fontAdvances } from './fonts.ts';

const { unitsPerEm, advances } = fontAdvances();
const runs: MetricsTable['runs'] = [];
for (const [codePoint, advance] of [...advances].toSorted(([a], [b]) => a - b)) {
  const run = runs.at(-1);
  if (run && run.from + run.advances.length === codePoint) run.advances.push(advance);
  else runs.push({ from: codePoint, advances: [advance] });
}
writeFileSync(metricsFile, `${JSON.stringify({ unitsPerEm, runs })}\n`);
