/** A mail as text and as HTML, from the same paragraphs. */
export type MailText = { subject: string; text: string; html: string };

export type MailContent = {
  subject: string;
  paragraphs: readonly string[];
  /** Rows of a table; a row without a value is left out. */
  facts: readonly (readonly [label: string, value: string | undefined])[];
  link?: { label: string; url: string } | undefined;
};

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Fit for element content and for quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/** A value of a caller on one line, without controls and without marks that turn the reading direction. */
export const plainLine = (text: string): string =>
  text
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

const signature = 'This message was sent automatically.';

const asText = ({ paragraphs, facts, link }: MailContent): string => {
  const table = facts.flatMap(([label, value]) => (value ? [`${label}: ${value}`] : [])).join('\n');
  const linkLine = link ? [`${link.label}: ${link.url}`] : [];
  return `${[...paragraphs, table, ...linkLine, signature].join('\n\n')}\n`;
};

const cell = 'padding:2px 12px 2px 0;vertical-align:top';

const asHtml = ({ subject, paragraphs, facts, link }: MailContent): string => {
  const rows = facts.flatMap(([label, value]) =>
    value
      ? [`<tr><td style="${cell}">${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`]
      : [],
  );
  const linked = link
    ? [`<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`]
    : [];
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family:sans-serif;line-height:1.5;max-width:36em">',
    ...paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`),
    `<table style="border-collapse:collapse">${rows.join('')}</table>`,
    ...linked,
    `<p style="color:#666">${signature}</p>`,
    '</body></html>',
    '',
  ].join('\n');
};

/** The mail with a line that says how to get no more of them. */
export const withUnsubscribeLink = <M extends MailText>(mail: M, url: string | undefined): M => {
  if (url === undefined) return mail;
  const line = 'No more of these e-mails';
  return {
    ...mail,
    text: `${mail.text}${line}: ${url}\n`,
    html: mail.html.replace(
      '</body>',
      `<p style="color:#666"><a href="${escapeHtml(url)}">${line}</a></p>\n</body>`,
    ),
  };
};

/**
 * Lays a mail out. The HTML loads nothing from anywhere.
 * @throws RangeError for a link that is not https (http where BASE_URL is)
 */
export function layOutMail(content: MailContent): MailText {
  if (content.link && !/^https?:\/\//.test(content.link.url)) {
    throw new RangeError('a link in a mail must be https or http');
  }
  return { subject: content.subject, text: asText(content), html: asHtml(content) };
}
