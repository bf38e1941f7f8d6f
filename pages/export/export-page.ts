/** The page that opens an exported archive. It loads nothing, so that it works from a folder. */
import { type Html, html, markup } from '../html.ts';

type Letter = {
  letterId: string;
  folder: string;
  createdAt: string;
  status: string;
  /** Undefined: the letter was erased. */
  recipient: string | undefined;
  service: string;
  price: string;
  /** None: the letter was erased after the part was made. */
  files: readonly string[];
  /** The events of the letter continue in the next part. */
  continues: boolean;
};

type About = {
  service: string;
  accountId: string;
  madeAt: string;
  part: number;
  isLast: boolean;
  /** Of the account. */
  files: readonly string[];
  letters: readonly Letter[];
};

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#1b2127;background:#fff}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid #d5dae0}
code{font-size:.9em}@media(prefers-color-scheme:dark){body{color:#e5e9ed;background:#12161a}a{color:#8fbcf0}th,td{border-color:#343c45}}`;

const rowOf = ({
  folder,
  createdAt,
  status,
  recipient,
  service,
  price,
  files,
  continues,
}: Letter): Html =>
  html`<tr><td>${createdAt.slice(0, 10)}</td><td>${recipient ?? '[erased]'}</td><td>${status}</td><td>${service}</td><td>${price}</td>
<td>${files.length === 0 ? 'erased since the archive was made' : files.map((file) => html`<a href="${folder}/${file}">${file}</a>`)}${continues ? ' (continued in the next part)' : ''}</td></tr>`;

const contents: Readonly<Record<string, string>> = {
  'account.json': 'settings, keys and addresses',
  'statement.csv': 'every change of the balance',
  'events.ndjson':
    'everything that is stored about the account, its wallet, policies, payments, orders, contract and UCANs, each event with its credential',
};

const accountFiles = (files: readonly string[]): Html => html`<h2>Account</h2>
<ul>
${files.map((file) => {
  const content = contents[file];
  return html`<li><a href="${file}">${file}</a>${content === undefined ? '' : `: ${content}`}</li>\n`;
})}</ul>`;

const partsNote = ({ part, isLast }: About): Html | undefined =>
  part === 1 && isLast
    ? undefined
    : html`<p>This is part ${part} of the archive${isLast ? ', the last one' : ''}. Each part is complete in itself.</p>`;

const noBundleNote = (letters: readonly Letter[]): Html | undefined =>
  letters.every(
    ({ files, continues }) => continues || files.length === 0 || files.includes('audit.zip'),
  )
    ? undefined
    : html`<p>A letter without an <code>audit.zip</code> has a history that is too long for one: its <code>events.ndjson</code> contains the credentials.</p>`;

export const exportPage = (about: About): string => {
  const { service, accountId, madeAt, files, letters } = about;
  return markup(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Export of ${accountId}</title>
<style>${style}</style>
</head>
<body>
<h1>Your data at ${service}</h1>
<p>Account <code>${accountId}</code>, exported on ${madeAt}.</p>
${partsNote(about)}
${files.length > 0 ? accountFiles(files) : undefined}
<h2>Letters</h2>
${letters.length === 0 ? html`<p>There are no letters in this part.</p>` : undefined}
<table>
<thead><tr><th scope="col">Date</th><th scope="col">Recipient</th><th scope="col">Status</th><th scope="col">Service</th><th scope="col">Price</th><th scope="col">Files</th></tr></thead>
<tbody>
${letters.map(rowOf)}
</tbody>
</table>
<h2>Check that it is complete and unchanged</h2>
<p>Each <code>audit.zip</code> holds the signed history of a letter. With Node 18 or newer, without a network:</p>
<pre><code>node verify-audit.mjs letters/…/audit.zip</code></pre>
${noBundleNote(letters)}
<p>Use your own copy of the program: the service has it at <code>/.well-known/verify-audit.mjs</code>. <a href="MANIFEST.json">MANIFEST.json</a> lists every file with its SHA-256.</p>
</body>
</html>
`);
};
