/**
 * A letter that waits for approval, over MCP. A client that can open an address gets it as an elicitation, and repeats
 * its call afterwards. The repetition has the key of the first call, so that it sends nothing; whatever the user
 * answered to the client, only the page decides.
 */
import { randomUUID } from 'node:crypto';
import { type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import type { AnyOperation } from '../contract/operation.ts';
import type { CallOperation, ProtocolAnswer } from '../contract/protocol.ts';

type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

const capabilities = 'io.modelcontextprotocol/clientCapabilities';

/**
 * The elicitation members of a message. A repetition has the `key` of the first call, which is empty if that had none.
 * The caller sends it, so a wrong key is a wrong Idempotency-Key.
 */
export type Round = { opensAddresses: boolean; key: string | undefined };

export const roundOf = (message: unknown): Round => {
  const params = fieldsOf(fieldsOf(message).params);
  const { elicitation } = fieldsOf(fieldsOf(params._meta)[capabilities]);
  const { requestState } = params;
  return {
    opensAddresses: typeof fieldsOf(elicitation).url === 'object',
    key: typeof requestState === 'string' ? requestState : undefined,
  };
};

/**
 * The key under which an operation is called, so that a repetition of the call finds it. A paid call needs no key,
 * because the same payment is the same call.
 */
export const keyOfRound = (
  { opensAddresses, key }: Round,
  { sent, isPaid }: { sent: string | undefined; isPaid: boolean },
): string | undefined => (key || sent) ?? (opensAddresses && !isPaid ? randomUUID() : undefined);

export type HeldLetter = { approvalId: string; url: string; expiresAt: string };

/** Undefined: the answer is about no letter that waits for approval. */
export const heldLetterIn = ({
  status,
  body,
}: Pick<ProtocolAnswer, 'status'> & { body: string }): HeldLetter | undefined => {
  if (status !== 202) return undefined;
  const { approval_id, approval_url, expires_at } = JSON.parse(body) as Record<string, string>;
  if (approval_id === undefined || approval_url === undefined) return undefined;
  return { approvalId: approval_id, url: approval_url, expiresAt: expires_at ?? '' };
};

/**
 * Said of a letter that was changed and is a draft. A change ends the approval that the letter waited for, so the
 * earlier advice not to send it again no longer holds.
 */
export const changedDraft = (
  tool: string,
  { status, body }: Pick<ProtocolAnswer, 'status'> & { body: string },
): string | undefined => {
  if (tool !== 'update_letter' || status !== 200) return undefined;
  const { hold_reason } = fieldsOf(JSON.parse(body));
  return hold_reason === 'requested'
    ? 'The letter is a draft and waits for no approval. Nothing is printed until you call send_letter with its letter_id.'
    : undefined;
};

/** Asks the client to open the page of the approval. */
export const askingFor = ({ url, expiresAt }: HeldLetter, key: string): InputRequiredResult =>
  inputRequired({
    inputRequests: {
      approval: inputRequired.elicitUrl({
        message: `A policy holds this letter until a person approves it, at the latest at ${expiresAt}. Open the page of the approval. Only the page decides.`,
        url,
      }),
    },
    requestState: key,
  });

/** Advice about a letter whose approval is over, by how it ended. */
const adviceOn: Record<string, string> = {
  rejected: ' Nothing is printed. Ask the user before you change it or send it again.',
  expired: ' Nothing is printed. Ask the user before you send it again, with its letter_id.',
};

/** The tools that show a decision, which the status of the letter does not if it was rejected. */
const whereShown = (tools: readonly string[]): string => {
  const showing = ['get_letter_history', 'list_notifications'].filter((one) => tools.includes(one));
  return showing.length > 0
    ? `${showing.join(' and ')} show the decision.`
    : 'track_letter shows the status queued once it is approved.';
};

const readingTool = (tools: readonly string[]): string =>
  tools.includes('get_letter') ? 'get_letter' : 'track_letter';

/** Says how the approval stands, after the client opened its page or did not. */
export const createApprovalState = (operations: readonly AnyOperation[]) => {
  const read = operations.find(({ name }) => name === 'get_approval');
  /** @param tools the names of those that the caller has */
  return async (
    { approvalId, url }: HeldLetter,
    call: CallOperation,
    tools: readonly string[],
  ): Promise<string> => {
    const asked = { params: { id: approvalId }, query: {}, headers: {}, body: {} };
    const { status, body } = read ? await call(read, asked) : { status: 404, body: '' };
    const state = status === 200 ? (JSON.parse(body) as { status: string }).status : 'pending';
    if (state === 'superseded') {
      return `The approval of this letter is superseded: the letter was changed, cancelled or sent again, or the policy changed. Read it with ${readingTool(tools)}. A draft that waits for no approval is sent by send_letter with its letter_id and a new idempotency_key.`;
    }
    if (state !== 'pending') {
      return `The approval of this letter is ${state}.${adviceOn[state] ?? ''}`;
    }
    return `The letter waits for an approval at ${url}. Nothing is printed before. Do not send it again: ${whereShown(tools)}`;
  };
};
