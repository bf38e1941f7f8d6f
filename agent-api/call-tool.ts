/** A tool is called: its operation is, and its answer is said in the words of the protocol. */
import { type CallToolResult, ProtocolError } from '@modelcontextprotocol/server';
import { isAppError } from '../contract/errors.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { problemOf } from '../contract/problem.ts';
import type { Called, CallOperation } from '../contract/protocol.ts';
import {
  changedDraft,
  createApprovalState,
  type HeldLetter,
  heldLetterIn,
  keyOfRound,
  type Round,
} from './held-letter.ts';
import type { ToolCall } from './mcp-frames.ts';
import { createToolNaming } from './name-tools.ts';
import { createRemainingBudget } from './remaining-budget.ts';
import { rpc } from './rpc-error.ts';
import type { Tool } from './tool-catalogue.ts';
import { paymentHeader, toolResult } from './tool-result.ts';

export type Caller = {
  call: CallOperation;
  requestId: string;
  tools: readonly Tool[];
  idempotencyKey?: string;
  /** A log position that reads have to show, as over REST. */
  minLogPosition?: string;
  round: Round;
  /** Headers of the operation's answer that the answer over HTTP has as well. */
  passedOn: Record<string, string>;
};

/** The result of a tool. `asking`: the letter that it is about waits for approval, and the client can open the page. */
export type Answered = { result: CallToolResult; asking?: { held: HeldLetter; key: string } };

/** Said to the model: a key that it used before sends no second letter, also where it means one. */
const answeredBefore =
  'This is the answer to an earlier call with the same idempotency_key or payment. Nothing was done again.';

const isReplayed = ({ headers }: Pick<Called, 'headers'>): boolean =>
  headers['idempotent-replayed'] === 'true';

const passedOn = ['x-log-position', 'x-read-model'];

export const createCallTool = ({
  operations,
  baseUrl,
}: {
  operations: readonly AnyOperation[];
  baseUrl: string;
}) => {
  const remainingBudget = createRemainingBudget(operations);
  const approvalState = createApprovalState(operations);
  const withToolNames = createToolNaming(operations);

  return async (
    { call, requestId, tools, idempotencyKey, minLogPosition, round, ...caller }: Caller,
    { name, arguments: args = {} }: ToolCall,
    payment?: unknown,
  ): Promise<Answered> => {
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) {
      const known = tools.map((one) => one.name).join(', ');
      throw new ProtocolError(rpc.invalidParams, `Unknown tool. The tools are ${known}.`);
    }
    try {
      const { operation, input, inOwnWords } = tool.requestOf(args);
      const paid = paymentHeader(payment);
      const headers: Record<string, string> = { ...input.headers, ...paid };
      const given = { sent: idempotencyKey, isPaid: Object.keys(paid).length > 0 };
      const key = operation.idempotent ? keyOfRound(round, given) : undefined;
      if (key !== undefined) headers['idempotency-key'] ??= key;
      if (minLogPosition !== undefined) headers['x-min-log-position'] = minLogPosition;
      const called = await call(operation, { ...input, headers });
      for (const header of passedOn) {
        const value = called.headers[header];
        if (value !== undefined) caller.passedOn[header] = String(value);
      }
      const told =
        called.status < 300
          ? called
          : { ...called, body: withToolNames(inOwnWords(called.body), tools) };
      const result = toolResult(name, told);
      const budget = called.status < 300 ? await remainingBudget(name, call) : undefined;
      if (budget !== undefined) result.content.push({ type: 'text', text: budget });
      const draft = changedDraft(name, called);
      if (draft !== undefined) result.content.push({ type: 'text', text: draft });
      const held = heldLetterIn(called);
      if (held === undefined) {
        if (isReplayed(called)) result.content.push({ type: 'text', text: answeredBefore });
        return { result };
      }
      if (round.opensAddresses && round.key === undefined) {
        return { result, asking: { held, key: headers['idempotency-key'] ?? '' } };
      }
      const names = tools.map((one) => one.name);
      result.content.push({ type: 'text', text: await approvalState(held, call, names) });
      return { result };
    } catch (error) {
      if (!isAppError(error)) throw error;
      const problem = problemOf(error, { baseUrl, instance: '/mcp', requestId });
      return {
        result: { content: [{ type: 'text', text: JSON.stringify(problem) }], isError: true },
      };
    }
  };
};
