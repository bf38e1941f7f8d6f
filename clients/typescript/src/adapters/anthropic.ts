/** The tools for the tool runner of Anthropic's SDK. */
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { letterTools, type ToolOptions } from '../tools.ts';

/** @throws ServiceError invalid_options */
export const anthropicTools = (options: ToolOptions = {}): BetaRunnableTool[] =>
  letterTools(options).map(({ name, description, parameters, run }) =>
    betaTool({
      name,
      description,
      inputSchema: parameters as { type: 'object' },
      run: async (args: unknown, context) =>
        JSON.stringify(await run(args, { signal: context?.signal ?? undefined })),
    }),
  );
