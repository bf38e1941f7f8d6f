/** The tools for LangChain and LangGraph. */
import { DynamicStructuredTool, type StructuredToolInterface, tool } from '@langchain/core/tools';
import { letterTools, type ToolOptions } from '../tools.ts';

type Made = InstanceType<typeof DynamicStructuredTool>;

/**
 * LangChain refuses arguments that the schema does not allow, null among them, and does not say which. So the
 * schema is for the model, and `run` checks the arguments: its answer says which one is wrong.
 */
const checkedByRun = (made: Made): Made => {
  const unchecked = Object.create(made, { schema: { value: { type: 'object' } } });
  made.call = (...input: Parameters<Made['call']>) =>
    DynamicStructuredTool.prototype.call.apply(unchecked, input);
  return made;
};

/** @throws ServiceError invalid_options */
export const langchainTools = (options: ToolOptions = {}): StructuredToolInterface[] =>
  letterTools(options).map(({ name, description, parameters, run }) =>
    checkedByRun(
      tool(async (args, config) => JSON.stringify(await run(args, { signal: config?.signal })), {
        name,
        description,
        schema: parameters,
      }) as unknown as Made,
    ),
  ) as unknown as StructuredToolInterface[];
