/** The form on the page of an approval: the decision of an approver who has the link of a mail. */

import type {
  ApprovalLinks,
  ApprovalSubject,
  OpenedApproval,
} from '../../commands/approvals/approval-links.ts';
import type { ApprovalDecisions } from '../../commands/letters/approve-letter.ts';
import type { Deciding } from '../../commands/policies/approvers.ts';
import { isAppError } from '../../contract/errors.ts';
import {
  type AnyOperation,
  type OperationResult,
  operation,
  type RequestCommand,
} from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { type Language, languages } from '../../postal/stationery.ts';
import { AnyApprovalId } from '../../presenters/approval.ts';
import { OneOf } from '../../presenters/common.ts';
import { preferredLanguage } from '../../presenters/preferred-language.ts';

/** Decides on approvals of one kind. */
type Decisions = {
  approve(
    ...of: Parameters<ApprovalDecisions['approve']>
  ): Promise<Pick<OperationResult, 'position'>>;
  reject(
    ...of: Parameters<ApprovalDecisions['reject']>
  ): Promise<Pick<OperationResult, 'position'>>;
};

type ApprovalFormPorts = {
  decisions: Record<ApprovalSubject['kind'], Decisions>;
  links: Pick<ApprovalLinks, 'open'>;
  /** The page of the approval, or the one of a link that is not valid. */
  pageOf: (opened: OpenedApproval | undefined, about: ShownWith) => string;
  pageHeaders: Readonly<Record<string, string>>;
};

/** `problem`: the code of the error why a decision was not recorded. `reason`: as it was typed. */
export type ShownWith = {
  token: string;
  language: Language;
  problem?: string;
  reason?: string | undefined;
};

const longestReason = 500;

/** Browsers end lines with two characters, and send a field that is empty. Longer texts end after a whole character. */
const reasonIn = (text = ''): string | undefined => {
  const characters = Array.from(text.replaceAll('\r\n', '\n').trim());
  return characters.slice(0, longestReason).join('').trim() || undefined;
};

type Decision = {
  kind: ApprovalSubject['kind'];
  approvalId: string;
  accountId: string;
  deciding: Deciding;
  command: RequestCommand;
};

const page = (description: string) => ({
  description,
  schema: Type.String(),
  produces: ['text/html'],
});

export const approvalFormOperation = (ports: ApprovalFormPorts): AnyOperation => {
  const { decisions, links, pageOf, pageHeaders: headers } = ports;

  const decide = (
    { kind, approvalId, accountId, deciding, command }: Decision,
    { decision, reason }: { decision: 'approve' | 'reject'; reason?: string },
  ) => {
    const { approve, reject } = decisions[kind];
    return decision === 'approve'
      ? approve(accountId, approvalId, deciding, command)
      : reject(accountId, approvalId, { ...deciding, reason: reasonIn(reason) }, command);
  };

  /** The page after the decision. */
  const shown = async (approvalId: string, about: ShownWith): Promise<OperationResult> => {
    const opened = await links.open(approvalId, about.token);
    const status = about.problem === undefined ? 200 : 409;
    return { status: opened ? status : 404, body: Buffer.from(pageOf(opened, about)), headers };
  };

  return operation({
    name: 'decide_approval',
    method: 'POST',
    path: '/approvals/{id}',
    tag: 'Guards',
    summary: 'Decide on the page of an approval',
    description:
      'What the form on the page sends. The token of the mail names the approver, so it must be in the body. The answer is the page, which says how the approval stands.',
    access: 'public',
    upload: true,
    input: {
      params: Type.Object({ id: AnyApprovalId }),
      body: Type.NamedExact('DecideApproval', {
        token: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The token in the link of the mail.',
        }),
        decision: OneOf(['approve', 'reject']),
        reason: Type.Optional(
          Type.String({ maxLength: 2 * longestReason, description: 'Of a rejection.' }),
        ),
        language: Type.Optional(OneOf(languages, 'Default: by `Accept-Language`.')),
      }),
    },
    responses: {
      200: page('The decision is recorded, or the approval was over before'),
      404: page('A page that says that the link is not valid'),
      409: page('The page, with the reason why nothing was recorded'),
    },
    errors: ['conflict'],
    async handle({ params, body, acceptLanguage, command }) {
      const { id: approvalId } = params;
      const language = body.language ?? preferredLanguage(acceptLanguage);
      const shownWith = { token: body.token, language };
      const opened = await links.open(approvalId, body.token);
      if (!opened?.deciding) return shown(approvalId, shownWith);
      const { accountId, deciding, about } = opened;
      try {
        const { kind } = about;
        const decision = { kind, approvalId, accountId, deciding, command };
        const { position } = await decide(decision, body);
        return { ...(await shown(approvalId, shownWith)), account: accountId, position };
      } catch (error) {
        if (!isAppError(error)) throw error;
        // The page says how it ended before.
        if (error.code === 'approval_over') return shown(approvalId, shownWith);
        return shown(approvalId, { ...shownWith, problem: error.code, reason: body.reason });
      }
    },
  });
};
