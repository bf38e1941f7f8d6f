import { type AnyOperation, operation } from '../contract/operation.ts';
import { toTimestamp } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import type { AuditHistory } from '../identity/audit-history.ts';
import { reattest } from '../identity/reattestation.ts';
import { auditNotFoundPage, auditPage } from '../pages/audit/audit-page.ts';
import { type Language, languages } from '../postal/stationery.ts';
import { OneOf } from '../presenters/common.ts';
import { preferredLanguage } from '../presenters/preferred-language.ts';
import { type AuditPorts, createAuditBundles, zipHeaders, zipType } from './audit.ts';
import type { CertificateLinks } from './certificate-links.ts';

const html = 'text/html; charset=utf-8';

/** For a page: its own styles and script, nothing of others, not to be found or framed. */
export const pageHeaders = {
  'Content-Type': html,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex, nofollow, noarchive',
};

const page = (description: string) => ({
  description,
  schema: Type.String(),
  produces: ['text/html'],
});

export const pageResponse = { 200: page('The page') };

/** The answer to an unknown link. */
export const noPageResponse = { 404: page('A page that says that the link is not valid') };

export const PageLanguage = Type.Optional(OneOf(languages, 'Default: by `Accept-Language`.'));

/** The input of a page behind a link to a letter. */
export const linkToLetter = (token: { maxLength?: number; description: string }) => ({
  params: Type.Object({ letter_id: Type.String({ maxLength: 64 }) }),
  query: Type.Object(
    { token: Type.Optional(Type.String(token)), language: PageLanguage },
    { additionalProperties: true },
  ),
});

const Opened = linkToLetter({ description: 'The token in the link.' });

type AuditPagePorts = AuditPorts & {
  certificateLinks: Pick<CertificateLinks, 'pathOf'>;
  /** The path of the public address of the service. */
  prefix: string;
};

/** The audit page and its bundle, for people who have the link. */
export const auditPageOperations = (ports: AuditPagePorts): AnyOperation[] => {
  const bundleOf = createAuditBundles(ports);
  const assets = `${ports.prefix}/audit/`;

  /** The history that the link shows; undefined for every reason why it shows none. */
  const opened = async (letterId: string, token = ''): Promise<AuditHistory | undefined> => {
    if (!(await ports.opens(token, letterId))) return undefined;
    const audit = await ports.readAudit(letterId, { patienceMs: ports.patienceMs });
    return audit?.record?.doc.erased ? undefined : audit?.history;
  };

  const noPage = (language: Language) => ({
    status: 404,
    body: Buffer.from(auditNotFoundPage(language, assets)),
    headers: pageHeaders,
  });

  const viewAudit = operation({
    name: 'view_audit',
    method: 'GET',
    path: '/audit/{letter_id}',
    tag: 'Audit',
    summary: 'The audit page of a letter',
    description: 'For people who have the link. An unknown or expired link answers 404.',
    access: 'public',
    input: Opened,
    responses: { ...pageResponse, ...noPageResponse },
    errors: ['audit_too_long'],
    async handle({ params, query, acceptLanguage }) {
      const language = query.language ?? preferredLanguage(acceptLanguage);
      const history = await opened(params.letter_id, query.token);
      if (!history) return noPage(language);
      const identity = ports.identity();
      const page = await auditPage({
        history,
        paths: await ports.pathsOf(history.events, history.checkpoint),
        identity,
        reattestations: await reattest(history, identity.keys, ports.signer()),
        bundleHref: `${params.letter_id}/bundle.zip?token=${query.token}`,
        madeAt: toTimestamp(ports.clock()),
        language,
        certificateHref: `${ports.prefix}${ports.certificateLinks.pathOf(history.letterId)}`,
        assets,
      });
      return { body: Buffer.from(page), headers: pageHeaders };
    },
  });

  const downloadAudit = operation({
    name: 'download_audit',
    method: 'GET',
    path: '/audit/{letter_id}/bundle.zip',
    tag: 'Audit',
    summary: 'The bundle of a letter, by link',
    description:
      'The bundle contains events, credentials, log proofs and a program that verifies them offline. The link needs no key; an unknown or expired one answers 404.',
    access: 'public',
    input: Opened,
    responses: {
      200: { description: 'The bundle', schema: Type.String(), produces: [zipType] },
      ...noPageResponse,
    },
    errors: ['audit_too_long'],
    async handle({ params, query, address, acceptLanguage }) {
      const history = await opened(params.letter_id, query.token);
      if (!history) return noPage(query.language ?? preferredLanguage(acceptLanguage));
      const headers = { ...zipHeaders(params.letter_id), 'Cache-Control': 'no-store' };
      return { body: await bundleOf(history, { address }), headers };
    },
  });

  return [viewAudit, downloadAudit];
};
