import { create } from 'qrcode/lib/core/qrcode.js';
import { type Html, html } from '../../html.ts';

/** Modules that must be light around the code (ISO/IEC 18004). */
const margin = 4;
const sizePx = 260;

/** The code of a text as a picture, black on white in every colour scheme. */
export const qrSvg = (text: string, label: string): Html => {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const dark = Array.from(modules.data).flatMap((module, index): string[] => {
    const [x, y] = [index % modules.size, Math.floor(index / modules.size)];
    return module === 0 ? [] : [`M${x + margin} ${y + margin}h1v1h-1z`];
  });
  const size = modules.size + 2 * margin;
  return html`<svg class="code" role="img" aria-label="${label}" width="${sizePx}" height="${sizePx}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#ffffff" d="M0 0h${size}v${size}h-${size}z"/><path fill="#000000" d="${dark.join('')}"/></svg>`;
};
