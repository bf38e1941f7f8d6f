/** Parts of pages that scripts make more convenient. Without scripts they are plain HTML. */
import type { Language } from '../../postal/stationery.ts';
import { type Html, html } from '../html.ts';

/**
 * A part that the script reads again while something moves, without moving focus or selection.
 * @param shown.isPrice it stands in a form, and shows what the form costs now
 */
export const liveRegion = (
  { id, isMoving = false, isPrice = false }: { id: string; isMoving?: boolean; isPrice?: boolean },
  shown: Html,
): Html => html`<live-region id="${id}"${isMoving ? html` data-moving` : undefined}${isPrice ? html` data-price` : undefined}>
${shown}
</live-region>`;

const copyWords: Record<Language, { copy: string; copied: string }> = {
  en: { copy: 'Copy', copied: 'Copied' },
  de: { copy: 'Kopieren', copied: 'Kopiert' },
  fr: { copy: 'Copier', copied: 'Copié' },
};

/** A text with a button that copies it. */
export const copyText = (text: string, language: Language, id?: string): Html => {
  const { copy, copied } = copyWords[language];
  const named = id === undefined ? undefined : html` id="${id}"`;
  return html`<copy-text data-copy="${copy}" data-copied="${copied}"><code class="secret"${named}>${text}</code></copy-text>`;
};

/** A link to a page for others, with a button that copies it. */
export const copyLink = (url: string, language: Language, id?: string): Html => {
  const { copy, copied } = copyWords[language];
  const named = id === undefined ? undefined : html` id="${id}"`;
  return html`<copy-text data-copy="${copy}" data-copied="${copied}"><a class="secret"${named} href="${url}" rel="noreferrer">${url}</a></copy-text>`;
};

/** A field for a file, onto which a file can be dropped. */
export const fileDrop = (field: Html): Html => html`<file-drop>
${field}
</file-drop>`;
