/** The UCANs of the account that live, below its keys. */
import type { Static } from 'typebox';
import type { ListedUcan } from '../../../presenters/ucan.ts';
import { type Html, html } from '../../html.ts';
import { moment } from '../format.ts';
import { stackTable } from '../table.ts';
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

const rowOf = (ucan: Ucan, limits: Html | undefined, visit: Visit): Html => {
  const { at, language } = visit;
  const { ucans, revoke, never } = keysWords[language];
  const { columns } = ucans;
  return html`<tr>
<th scope="row" data-label="${columns.cid}"><code class="secret">${ucan.cid}</code></th>
<td data-label="${columns.audience}"><code class="secret">${ucan.audience}</code></td>
<td data-label="${columns.allows}"><ul class="plain">${capabilitiesOf(ucan)}</ul></td>
<td data-label="${columns.expires}">${ucan.expires_at === null ? never : moment(ucan.expires_at, language)}</td>
<td data-label="${columns.things}">${madeThings(ucan.made, `ucan:${ucan.cid}`, visit)}</td>
<td data-label="${columns.limits}">${limits}</td>
<td data-label="${columns.end}"><form method="post" action="${at('/keys/ucans/revoke')}"><input type="hidden" name="cid" value="${ucan.cid}"><button class="button" type="submit" aria-label="${revoke}: ${ucan.cid}">${revoke}</button></form></td>
</tr>`;
};

export const ucansPart = (
  found: readonly Ucan[],
  limitsOf: (subject: string) => Html | undefined,
  visit: Visit,
): Html | undefined => {
  if (found.length === 0) return undefined;
  const { caption, columns } = keysWords[visit.language].ucans;
  const { cid, audience, allows, expires, things, limits, end } = columns;
  return stackTable(
    caption,
    [cid, audience, allows, expires, things, limits, end],
    found.map((ucan) => rowOf(ucan, limitsOf(`ucan:${ucan.cid}`), visit)),
  );
};
