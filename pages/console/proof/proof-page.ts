/** The proof of a letter, and the links that show it to others. */

import type { Static } from 'typebox';
import type { AuditLinks } from '../../../presenters/audit-links.ts';
import { certificateWords } from '../../../presenters/certificate-words.ts';
import type { Proof } from '../../../presenters/proof.ts';
import type { TrackingLink } from '../../../presenters/tracking-link.ts';
import { fact } from '../../fact.ts';
import { type Html, html } from '../../html.ts';
import { idempotencyField, unsettledForm } from '../form.ts';
import { moment } from '../format.ts';
import { copyLink } from '../live-parts.ts';
import { shownFields } from '../shown-fields.ts';
import { type Row, stackTable } from '../table.ts';
import type { Visit } from '../visit.ts';
import { type ProofWords, proofWords } from './proof-words.ts';

type ProofShown = {
  proof: Static<typeof Proof>;
  /** Undefined: the letter was deleted, which ends its link. */
  tracking: Static<typeof TrackingLink> | undefined;
  links: Static<typeof AuditLinks>['data'];
  /** The address of a link that was made just now. */
  made?: string | undefined;
  problem?: Html | undefined;
};

type Page = { path: string; base: string; words: ProofWords; visit: Visit };

const factsOf = ({ proof }: ProofShown, { visit, words, base }: Page): Html => {
  const { facts } = words;
  const time = (at: string | null) => (at === null ? undefined : moment(at, visit.language));
  return html`<p lang="en">${proof.statement}</p>
<dl class="facts">
${fact(facts.level, certificateWords[visit.language].levels[proof.proof_level])}
${fact(facts.sent, time(proof.sent_at))}
${fact(facts.posted, time(proof.posted_at))}
${fact(facts.delivered, time(proof.delivered_at))}
${fact(facts.returned, time(proof.returned_at))}
${fact(facts.commitment, html`<code>${proof.document.commitment}</code>`)}
${fact(facts.credentials, proof.credentials.length)}
</dl>
<p><a class="button" href="${base}/certificate.pdf">${words.certificate}</a></p>
<p><a class="button" href="${base}/history.zip">${words.bundle}</a></p>
<p class="hint">${words.bundleHint}</p>`;
};

/** @param action below the page of the letter */
const post = (
  { visit, path, base }: Page,
  action: string,
  label: string,
  more?: readonly Html[],
): Html =>
  html`<form method="post" action="${base}${action}">${idempotencyField(unsettledForm(visit, path + action))}${more}<button class="button" type="submit">${label}</button></form>`;

const trackingPart = ({ tracking }: ProofShown, page: Page): Html => {
  if (tracking === undefined) return html``;
  const { words, visit } = page;
  const { title, detail, none, renew, revoke } = words.tracking;
  const { url } = tracking;
  return html`<h2>${title}</h2>
<p>${detail}</p>
${url === null ? html`<p>${none}</p>` : html`<p>${copyLink(url, visit.language)}</p>`}
<div class="choices">
${post(page, '/tracking-link/renew', renew)}
${url === null ? undefined : post(page, '/tracking-link/revoke', revoke, shownFields({ url }))}
</div>`;
};

const rowOf = (link: ProofShown['links'][number], page: Page): Row => [
  moment(link.created_at, page.visit.language),
  moment(link.expires_at, page.visit.language),
  post(page, `/audit-links/${link.id}/revoke`, page.words.audit.revoke),
];

const auditPart = ({ links, made }: ProofShown, page: Page): Html => {
  const { title, detail, make, caption, none, created, expires, end } = page.words.audit;
  const table = stackTable(
    { caption, columns: [created, expires, end] },
    links.map((link) => rowOf(link, page)),
  );
  return html`<h2>${title}</h2>
<p>${detail}</p>
${made === undefined ? undefined : html`<section class="notice" role="status"><p>${page.words.audit.made}</p><p>${copyLink(made, page.visit.language, 'made')}</p></section>`}
${links.length === 0 ? html`<p>${none}</p>` : table}
${post(page, '/audit-links', make)}`;
};

export const proofBody = (shown: ProofShown, visit: Visit): Html => {
  const words = proofWords[visit.language];
  const path = `/letters/${shown.proof.letter_id}`;
  const base = visit.at(path);
  const page = { path, base, words, visit };
  return html`${shown.problem}
<p><a href="${base}">${words.back}</a></p>
${factsOf(shown, page)}
${trackingPart(shown, page)}
${auditPart(shown, page)}`;
};
