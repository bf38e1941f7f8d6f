/** The tools for Genkit, defined in an instance of it. */
import type { Genkit, ToolAction } from 'genkit';
import { letterTools, type ToolOptions } from '../tools.ts';

/**
 * Genkit throws for arguments that the schema does not allow, null among them. So it is given an open schema, and
 * `run` checks the arguments; the model is shown the schema itself.
 * @throws ServiceError invalid_options
 */
export const genkitTools = (
  ai: Pick<Genkit, 'defineTool'>,
  options: ToolOptions = {},
): ToolAction[] =>
  letterTools(options).map(({ name, description, parameters, run }) => {
    const defined = ai.defineTool(
      { name, description, inputJsonSchema: { type: 'object' } as never },
      (args) => run(args),
    );
    defined.__action.inputJsonSchema = parameters as never;
    return defined;
  });
