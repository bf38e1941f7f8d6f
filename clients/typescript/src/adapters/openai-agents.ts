/** The tools for the OpenAI Agents SDK. */
import { type FunctionTool, tool } from '@openai/agents';
import { letterTools, type ToolOptions } from '../tools.ts';

export type OpenAiAgentsOptions = ToolOptions & {
  /** Ends the run with an interruption before a tool that spends, until your program approves it. */
  needsApproval?: boolean;
};

/** @throws ServiceError invalid_options */
export const openaiAgentsTools = ({
  needsApproval = false,
  ...options
}: OpenAiAgentsOptions = {}): FunctionTool[] =>
  letterTools(options).map(({ name, description, parameters, destructive, run }) =>
    tool({
      name,
      description,
      parameters: parameters as never,
      strict: false,
      needsApproval: needsApproval && destructive,
      execute: async (args, _context, details) =>
        JSON.stringify(await run(args, { signal: details?.signal })),
    }),
  ) as FunctionTool[];
