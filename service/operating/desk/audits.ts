/** Histories of letters for operators and auditors. */
import { toTimestamp } from '../../../ground/clock.ts';
import type { AuditHistory } from '../../../identity/audit-history.ts';
import { reattest } from '../../../identity/reattestation.ts';
import { auditPage } from '../../../pages/audit/audit-page.ts';
import type { Desk } from '../../../pages/console/operator/desk.ts';
import { createAuditBundles } from '../../../read-api/audit.ts';
import type { Foundation } from '../../foundation/wing.ts';
import { auditPortsOf } from '../../wings/identity-operations.ts';
import type { Look } from './looks.ts';

type Audits = Pick<Desk, 'auditPage' | 'auditBundle' | 'certificateAddress'>;

export const createAudits = (foundation: Foundation, baseUrl: string, look: Look): Audits => {
  const ports = auditPortsOf(foundation, baseUrl);
  const bundleOf = createAuditBundles(ports);

  /** Undefined: there is no such letter, or its personal data was erased. */
  const opened = async (
    session: Parameters<Look>[0],
    letterId: string,
  ): Promise<AuditHistory | undefined> => {
    const audit = await ports.readAudit(letterId, { patienceMs: ports.patienceMs });
    if (!audit?.record) return undefined;
    await look(session, audit.record.accountId);
    return audit.history;
  };

  return {
    async auditPage(session, letterId, { assets, bundle, back, certificate, language }) {
      const history = await opened(session, letterId);
      if (!history) return undefined;
      const identity = ports.identity();
      return auditPage({
        history,
        paths: await ports.pathsOf(history.events, history.checkpoint),
        identity,
        reattestations: await reattest(history, identity.keys, ports.signer()),
        bundleHref: bundle,
        madeAt: toTimestamp(ports.clock()),
        language,
        certificateHref: certificate,
        assets,
        back,
      });
    },
    async auditBundle(session, letterId, address) {
      const history = await opened(session, letterId);
      return history && bundleOf(history, { address });
    },
    async certificateAddress(session, letterId) {
      const history = await opened(session, letterId);
      return history && baseUrl + foundation.shared.certificateLinks.pathOf(letterId);
    },
  };
};
