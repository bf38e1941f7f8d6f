/** The tools for the Vercel AI SDK. */
import { jsonSchema, type Tool, tool } from 'ai';
import type { ToolResult } from '../execute.ts';
import { letterTools, type ToolOptions } from '../tools.ts';

export type AiSdkTools = Record<string, Tool<Record<string, unknown>, ToolResult>>;

/** @throws ServiceError invalid_options */
export const aiSdkTools = (options: ToolOptions = {}): AiSdkTools =>
  Object.fromEntries(
    letterTools(options).map(({ name, title, description, parameters, run }) => [
      name,
      tool({
        title,
        description,
        inputSchema: jsonSchema<Record<string, unknown>>(parameters as never),
        execute: (args, { abortSignal }) => run(args, { signal: abortSignal }),
      }),
    ]),
  );
