/** The UCANs of the account that live, below its keys. */
import type { Static } from 'typebox';
import { colon } from '../../../presenters/labels.ts';
import type { ListedUcan } from '../../../presenters/ucan.ts';
import { type Html, html } from '../../html.ts';
import { moment } from '../format.ts';
import { olderLink, type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { madeThings } from './keys-page.ts';
import { keysWords } from './keys-words.ts';

type Ucan = Static<typeof ListedUcan>;

/** The capabilities of a UCAN, with its caveats as the token has them. */
const capabilitiesOf = ({ capabilities }: Ucan): Html[] =>
  Object.values(capabilities).flatMap((abilities) =>
    Object.entries(abilities).map(([ability, caveats]) => {
      const limits = caveats.filter((caveat) => Object.keys(caveat).length > 0);
      return html`<li><code>${ability}</code>${limits.length === 0 ? undefined : html` <code>${JSON.stringify(limits)}</code>`}</li>`;
    }),
  );

const rowOf = (ucan: Ucan, limits: Html | undefined, visit: Visit): Row => {
  const { at, language } = visit;
  const { revoke, never } = keysWords[language];
  return [
    html`<code class="secret">${ucan.cid}</code>`,
    html`<code class="secret">${ucan.audience}</code>`,
    html`<ul class="plain">${capabilitiesOf(ucan)}</ul>`,
    ucan.expires_at === null ? never : moment(ucan.expires_at, language),
    madeThings(ucan.made, `ucan:${ucan.cid}`, visit),
    limits,
    html`<p><a class="button" href="${at('/keys/ucans/revoke')}?cid=${ucan.cid}" aria-label="${revoke}${colon(language)} ${ucan.cid}">${revoke}</a></p>`,
  ];
};

/** @param older cursor of the next page of UCANs; null: this is the last page */
export const ucansPart = (
  found: readonly Ucan[],
  older: string | null,
  limitsOf: (subject: string) => Html | undefined,
  visit: Visit,
): Html | undefined => {
  if (found.length === 0) return undefined;
  const words = keysWords[visit.language].ucans;
  const rows = found.map((ucan) => rowOf(ucan, limitsOf(`ucan:${ucan.cid}`), visit));
  return html`${stackTable(words, rows)}
${olderLink(visit, { path: '/keys', cursor: older }, words.next)}`;
};
