/** A mail as text and as HTML, from the same paragraphs. */
import { escapeHtml } from '../../ground/escape-html.ts';
import type { Language } from '../../postal/stationery.ts';
import { colon } from '../../presenters/labels.ts';
import { dark, light } from '../../presenters/palette.ts';

export type MailText = { language: Language; subject: string; text: string; html: string };

type MailContent = {
  language: Language;
  subject: string;
  /** About a test account or a test letter; the subject then says so. */
  test: boolean;
  paragraphs: readonly string[];
  /** Rows of a table; a row without a value is left out. */
  facts: readonly (readonly [label: string, value: string | undefined])[];
  /** The first is shown as a button, further ones as lines. */
  links?: readonly Link[] | undefined;
};

type Link = { label: string; url: string };

/** A value of a caller on one line, without controls and without marks that turn the reading direction. */
export const plainLine = (text: string): string =>
  text
    .replaceAll(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim();

const signatures: Record<Language, string> = {
  en: 'This message was sent automatically.',
  de: 'Diese Nachricht wurde automatisch versandt.',
  fr: 'Ce message a été envoyé automatiquement.',
};

const endings: Record<Language, string> = {
  en: 'Unsubscribe',
  de: 'Diese E-Mails abbestellen',
  fr: 'Se désabonner',
};

const asText = ({ language, paragraphs, facts, links = [] }: MailContent): string => {
  const mark = colon(language);
  const table = facts
    .flatMap(([label, value]) => (value ? [`${label}${mark} ${value}`] : []))
    .join('\n');
  const lines = links.map(({ label, url }) => `${label}${mark} ${url}`);
  const parts = [...paragraphs, table, ...lines, signatures[language]];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
};

/**
 * Clients that know no media queries get the light look inline; those that do get the dark one where
 * it is asked for, and a page without a frame on phones.
 */
const style = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.ground{background:${dark.ground}!important}
.sheet{background:${dark.sheet}!important;border-color:${dark.line}!important}
.ink{color:${dark.ink}!important}
.soft{color:${dark.soft}!important}
.line{border-color:${dark.line}!important}
.button{background:${dark.link}!important;color:${dark.ground}!important}
}
@media (max-width:480px){
.ground{padding:0!important}
.sheet{padding:24px 20px!important;border-width:0!important}
.label,.value{display:block!important;width:auto!important}
.label{padding-bottom:0!important;border-bottom:0!important}
}`;

const sans = "-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const ink = `color:${light.ink}`;
const soft = `color:${light.soft}`;
const cell = `padding:7px 12px 7px 0;vertical-align:top;border-bottom:1px solid ${light.line}`;

const rowOf = ([label, value]: readonly [string, string | undefined]): string[] =>
  value
    ? [
        `<tr><td class="label line soft" style="${cell};${soft};width:38%">${escapeHtml(label)}</td><td class="value line ink" style="${cell};${ink};word-break:break-word">${escapeHtml(value)}</td></tr>`,
      ]
    : [];

const buttonOf = ({ label, url }: Link): string =>
  `<p style="margin:24px 0 0"><a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:11px 20px;border-radius:4px;background:${light.link};color:${light.sheet};text-decoration:none;font-weight:600">${escapeHtml(label)}</a></p>`;

const linkLineOf = ({ label, url }: Link): string =>
  `<p class="ink" style="margin:16px 0 0;${ink}"><a class="ink" href="${escapeHtml(url)}" style="${ink}">${escapeHtml(label)}</a></p>`;

const smallPrintOf = (inner: string): string =>
  `<p class="soft" style="margin:8px 0 0;font-size:13px;${soft}">${inner}</p>\n`;

/** Where a line of the small print may still be added. */
const sheetEnd = '</div></body></html>';

const asHtml = ({ language, subject, paragraphs, facts, links = [] }: MailContent): string => {
  const rows = facts.flatMap(rowOf);
  const table =
    rows.length === 0
      ? []
      : [
          `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin-top:20px;border-collapse:collapse;font-size:15px">${rows.join('')}</table>`,
        ];
  return [
    '<!doctype html>',
    `<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escapeHtml(subject)}</title><style>${style}</style></head>`,
    `<body class="ground" style="margin:0;padding:32px 12px;background:${light.ground};font:16px/1.55 ${sans}">`,
    `<div class="sheet" style="max-width:560px;margin:0 auto;padding:32px 36px;background:${light.sheet};border:1px solid ${light.line};border-radius:4px">`,
    `<h1 class="ink" style="margin:0 0 16px;font:600 22px/1.3 Georgia,'Times New Roman',serif;${ink}">${escapeHtml(subject)}</h1>`,
    ...paragraphs.map(
      (paragraph) => `<p class="ink" style="margin:0 0 12px;${ink}">${escapeHtml(paragraph)}</p>`,
    ),
    ...table,
    ...links.slice(0, 1).map(buttonOf),
    ...links.slice(1).map(linkLineOf),
    `<p class="soft" style="margin:28px 0 0;font-size:13px;${soft}">${signatures[language]}</p>`,
    sheetEnd,
    '',
  ].join('\n');
};

/** The sender: the service and how its operator is reached. */
export type MailService = { name: string; contact: string | undefined };

/** The mail with a line that says who sent it. */
export const withService = <M extends MailText>(mail: M, { name, contact }: MailService): M => {
  const line = contact === undefined ? name : `${name}, ${contact}`;
  return {
    ...mail,
    text: `${mail.text}${line}\n`,
    html: mail.html.replace(sheetEnd, () => `${smallPrintOf(escapeHtml(line))}${sheetEnd}`),
  };
};

/** The mail with a line that says how to get no more of them. */
export const withUnsubscribeLink = <M extends MailText>(mail: M, url: string | undefined): M => {
  if (url === undefined) return mail;
  const line = endings[mail.language];
  return {
    ...mail,
    text: `${mail.text}${line}${colon(mail.language)} ${url}\n`,
    html: mail.html.replace(
      sheetEnd,
      `${smallPrintOf(`<a class="soft" href="${escapeHtml(url)}" style="${soft}">${line}</a>`)}${sheetEnd}`,
    ),
  };
};

/**
 * Lays a mail out. The HTML loads nothing from anywhere.
 * @throws RangeError for a link that is not https (http where BASE_URL is)
 */
export function layOutMail(content: MailContent): MailText {
  if (content.links?.some(({ url }) => !/^https?:\/\//.test(url))) {
    throw new RangeError('a link in a mail must be https or http');
  }
  const { language, test } = content;
  const subject = test ? `[TEST] ${content.subject}` : content.subject;
  return { language, subject, text: asText(content), html: asHtml({ ...content, subject }) };
}
