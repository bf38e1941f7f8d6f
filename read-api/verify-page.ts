/** The page that the code on a certificate opens, and its bundle: for strangers who hold a certificate. */

import { type AnyOperation, operation } from '../contract/operation.ts';
import { everyInSlices } from '../ground/slices.ts';
import { Type } from '../ground/type.ts';
import type { AuditedEvent, AuditHistory } from '../identity/audit-history.ts';
import { previousOf } from '../identity/event-credential.ts';
import { type VerifyPorts, verifyCredential } from '../identity/verify-credential.ts';
import { type Verified, verifyNotFoundPage, verifyPage } from '../pages/audit/verify-page.ts';
import type { PageService } from '../pages/sheet-page.ts';
import { endingsOf, evidenceOf, postalServiceOf } from '../presenters/certificate.ts';
import { preferredLanguage } from '../presenters/preferred-language.ts';
import { presentProof } from '../presenters/proof.ts';
import { shownStatus } from '../presenters/status-words.ts';
import { type AuditPorts, createAuditBundles, zipHeaders, zipType } from './audit.ts';
import { linkToLetter, noPageResponse, pageHeaders, pageResponse } from './audit-page.ts';
import type { CertificateLinks } from './certificate-links.ts';

export type VerifyPagePorts = AuditPorts & {
  certificateLinks: CertificateLinks;
  verifyPorts: () => VerifyPorts;
  service: PageService;
};

const Opened = linkToLetter({ description: 'The token in the code.' });

/** CHOICE: the number of records whose signatures the page checks, two each. The bundle verifies all. */
const signaturesMax = 200;
/** CHOICE: of 0.5 ms each. Other requests run in between. */
const verifiedAtOnce = 10;

/** Whether every credential names the one before, and says of its event what the store holds. */
const isChained = ({ events, letterId }: AuditHistory): Promise<boolean> => {
  const holds = async (event: AuditedEvent, index: number): Promise<boolean> => {
    const { credential, sequence, name, eventHash, occurredAt } = event;
    const before = index === 0 ? null : events[index - 1]?.credential?.hash;
    if (!credential || credential.previousHash !== before) return false;
    const { subject } = previousOf(credential.jwt);
    return (
      subject.letterId === letterId &&
      subject.sequence === sequence &&
      subject.eventType === name &&
      subject.eventHash === eventHash &&
      subject.occurredAt === Date.parse(occurredAt)
    );
  };
  return everyInSlices(events, holds);
};

/**
 * Whether every credential is the service's own and in its log. The time of an event may lie ahead, if the clock of the
 * service was set back since.
 */
const areSigned = (events: readonly AuditedEvent[], ports: VerifyPorts): Promise<boolean> => {
  const holds = async ({ credential, occurredAt }: AuditedEvent): Promise<boolean> => {
    if (!credential) return false;
    const nowMs = Math.max(ports.nowMs, Date.parse(occurredAt));
    const { valid, issuer } = await verifyCredential(credential.jwt, { ...ports, nowMs });
    return valid && issuer !== null && ports.ownKeys(issuer) !== undefined;
  };
  return everyInSlices(events, holds, verifiedAtOnce);
};

/** Signatures are checked from the latest record back, because each record fixes the one before. */
const verified = async (history: AuditHistory, ports: VerifyPorts): Promise<Verified> => {
  const signed = history.events.slice(-signaturesMax);
  const valid = signed.length > 0 && (await isChained(history)) && (await areSigned(signed, ports));
  return { valid, signatures: signed.length };
};

export const verifyPageOperations = (ports: VerifyPagePorts): AnyOperation[] => {
  const bundleOf = createAuditBundles(ports);

  const opened = async (letterId: string, token = '') => {
    if (!ports.certificateLinks.opens(token, letterId)) return undefined;
    const { history, record } =
      (await ports.readAudit(letterId, { patienceMs: ports.patienceMs })) ?? {};
    return history && record ? { history, record } : undefined;
  };

  const noPage = (acceptLanguage: string | undefined) => ({
    status: 404,
    body: Buffer.from(verifyNotFoundPage(preferredLanguage(acceptLanguage), ports.service.prefix)),
    headers: pageHeaders,
  });

  const viewProof = operation({
    name: 'view_certificate',
    method: 'GET',
    path: '/verify/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Show the page that the code on a certificate opens',
    description:
      'For holders of a certificate: shows its facts without names and addresses, and whether their signatures are valid. An unknown code answers 404.',
    access: 'public',
    input: Opened,
    responses: { ...pageResponse, ...noPageResponse },
    errors: ['audit_too_long'],
    async handle({ params, query, acceptLanguage }) {
      const found = await opened(params.letter_id, query.token);
      if (!found) return noPage(acceptLanguage);
      const { history, record } = found;
      const language = query.language ?? preferredLanguage(acceptLanguage);
      const page = verifyPage({
        proof: presentProof(record, undefined),
        state: shownStatus(record.status, record.doc.deliveryOutcome),
        postalService: postalServiceOf(record, language),
        evidence: evidenceOf(record, language),
        endings: endingsOf(record),
        timeZone: record.doc.terms.country,
        history,
        identity: ports.identity(),
        service: ports.service,
        verified: history.complete ? await verified(history, ports.verifyPorts()) : undefined,
        bundleHref: `${params.letter_id}/bundle.zip?token=${query.token}`,
        language,
      });
      return { body: Buffer.from(page), headers: pageHeaders };
    },
  });

  const downloadProof = operation({
    name: 'download_certificate_bundle',
    method: 'GET',
    path: '/verify/{letter_id}/bundle.zip',
    tag: 'Tracking and proof',
    summary: 'Download the signed history of a letter with the code on its certificate',
    description:
      'The bundle can be verified offline. The code on the certificate opens it without a key. An unknown code answers 404.',
    access: 'public',
    input: Opened,
    responses: {
      200: { description: 'The bundle', schema: Type.String(), produces: [zipType] },
      ...noPageResponse,
    },
    errors: ['audit_too_long'],
    async handle({ params, query, acceptLanguage, address }) {
      const found = await opened(params.letter_id, query.token);
      if (!found) return noPage(acceptLanguage);
      const headers = { ...zipHeaders(params.letter_id), 'Cache-Control': 'no-store' };
      return { body: await bundleOf(found.history, { address }), headers };
    },
  });

  return [viewProof, downloadProof];
};
