/** The tools for Mastra. */
import { createTool, type Tool } from '@mastra/core/tools';
import { letterTools, type ToolOptions } from '../tools.ts';

export type MastraOptions = ToolOptions & {
  /** Suspends the run before a tool that spends, until your program approves it. */
  requireApproval?: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: so that every version of its type parameters takes it
export type MastraTools = Record<string, Tool<any, any>>;

/** @throws ServiceError invalid_options */
export const mastraTools = ({
  requireApproval = false,
  ...options
}: MastraOptions = {}): MastraTools =>
  Object.fromEntries(
    letterTools(options).map(({ name, description, parameters, destructive, run }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: parameters as { type: 'object' },
        requireApproval: requireApproval && destructive,
        execute: async (args: unknown, context) => run(args, { signal: context?.abortSignal }),
      }),
    ]),
  ) as MastraTools;
