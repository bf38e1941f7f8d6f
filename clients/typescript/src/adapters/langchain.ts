/** The tools for LangChain and LangGraph. */
import { DynamicStructuredTool, type StructuredToolInterface, tool } from '@langchain/core/tools';
import { letterTools, type ToolOptions } from '../tools.ts';

type Made = InstanceType<typeof DynamicStructuredTool>;
type Arguments = Record<string, unknown>;

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

type Config = { configurable?: Record<string, unknown>; toolCall?: { id?: string | undefined } };

/**
 * LangGraph runs a node again after an interrupt or a crash. The name of a run of a node is the same when it runs
 * again, and of no other run, so its calls get their keys from it.
 */
const keyed = async (args: Arguments, { configurable, toolCall }: Config): Promise<Arguments> => {
  const run = configurable?.checkpoint_ns;
  if (!run || !toolCall?.id || args.idempotency_key != null) return args;
  const call = JSON.stringify([run, toolCall.id, args]);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(call));
  const bytes = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return { ...args, idempotency_key: bytes.join('').slice(0, 32) };
};

/** @throws ServiceError invalid_options */
export const langchainTools = (options: ToolOptions = {}): StructuredToolInterface[] =>
  letterTools(options).map(({ name, description, parameters, run }) => {
    const takesKey = 'idempotency_key' in parameters.properties;
    const call = async (args: Arguments, config: Config & { signal?: AbortSignal } = {}) => {
      const given = takesKey ? await keyed(args, config) : args;
      return JSON.stringify(await run(given, { signal: config.signal }));
    };
    const made = tool(call, { name, description, schema: parameters });
    return checkedByRun(made as unknown as Made);
  }) as unknown as StructuredToolInterface[];
