/** The tools for LangChain and LangGraph. */
import { type StructuredToolInterface, tool } from '@langchain/core/tools';
import { letterTools, type ToolOptions } from '../tools.ts';

/** @throws ServiceError invalid_options */
export const langchainTools = (options: ToolOptions = {}): StructuredToolInterface[] =>
  letterTools(options).map(({ name, description, parameters, run }) =>
    tool(async (args, config) => JSON.stringify(await run(args, { signal: config?.signal })), {
      ...{ name, description, schema: parameters },
    }),
  ) as unknown as StructuredToolInterface[];
