/** The tools for Genkit, defined in an instance of it. */
import type { Genkit, ToolAction } from 'genkit';
import { letterTools, type ToolOptions } from '../tools.ts';

/** @throws ServiceError invalid_options */
export const genkitTools = (
  ai: Pick<Genkit, 'defineTool'>,
  options: ToolOptions = {},
): ToolAction[] =>
  letterTools(options).map(({ name, description, parameters, run }) =>
    ai.defineTool({ name, description, inputJsonSchema: parameters as never }, (args) => run(args)),
  );
