/** The page of an approval, and the links to it in mails. */
import {
  createApprovalLinks,
  type OpenedApproval,
} from '../../commands/approvals/approval-links.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { approvalNotFoundPage, approvalPage } from '../../pages/approval/approval-page.ts';
import type { Language } from '../../postal/stationery.ts';
import { presentApprovalPage } from '../../presenters/approval-page.ts';
import { createLinkTokens } from '../../read-api/link-tokens.ts';
import type { ShownWith } from '../../write-api/guards/approval-form.ts';
import type { Commands } from '../foundation/basics.ts';
import type { DerivedKeys } from '../foundation/keys.ts';
import { pageServiceOf } from './page-service.ts';

type Ports = { keys: DerivedKeys; clock: Clock; commands: Pick<Commands, 'handler'> };

export const approvalLinksOf = ({ keys, clock, commands: { handler } }: Ports) =>
  createApprovalLinks({
    handler,
    clock,
    indexOf: keys.indexOf,
    tokens: createLinkTokens(keys.derive('approval-links')),
  });

/** The address of the page, without a token. */
export const approvalUrlIn =
  ({ baseUrl }: { baseUrl: string }) =>
  (approvalId: string): string =>
    `${baseUrl}/approvals/${approvalId}`;

/** The address of the page, with the token of an approver. */
export const approvalPageOf = (ports: Ports, baseUrl: string) => {
  const links = approvalLinksOf(ports);
  const urlOf = approvalUrlIn({ baseUrl });
  return (of: { approvalId: string; approver: string; language: Language | undefined }): string => {
    const { approvalId, approver, language } = of;
    const inLanguage = language === undefined ? '' : `&language=${language}`;
    const token = links.tokenOf(approvalId, approver);
    return `${urlOf(approvalId)}?token=${token}${inLanguage}`;
  };
};

/** The page after a decision; without an approval, the one of a link that is not valid. */
export const approvalPageIn =
  (site: Parameters<typeof pageServiceOf>[0] & { clock: Clock }) =>
  (opened: OpenedApproval | undefined, about: ShownWith): string => {
    const service = pageServiceOf(site);
    if (!opened) return approvalNotFoundPage(about.language, service.prefix);
    const shown = presentApprovalPage(opened, toTimestamp(site.clock()));
    return approvalPage({ ...about, ...shown, service });
  };
