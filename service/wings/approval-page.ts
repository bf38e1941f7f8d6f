/** The page of an approval, and the links to it in mails. */
import { createApprovalLinks } from '../../commands/letters/approval-links.ts';
import type { Language } from '../../postal/stationery.ts';
import { createLinkTokens } from '../../read-api/link-tokens.ts';
import type { Commands } from '../foundation/basics.ts';
import type { DerivedKeys } from '../foundation/keys.ts';

type Ports = { keys: DerivedKeys; commands: Pick<Commands, 'handler'> };

export const approvalLinksOf = ({ keys, commands: { handler } }: Ports) =>
  createApprovalLinks({
    handler,
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
