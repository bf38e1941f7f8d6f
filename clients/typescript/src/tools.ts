/** The tools for an agent: those that were chosen, with what spends behind a confirmation. */

import { clientError } from './errors.ts';
import {
  type CallOptions,
  checkedArguments,
  createExecutor,
  failureOf,
  type ToolArguments,
  type ToolResult,
  type ToolSpec,
  tools,
} from './execute.ts';
import type { ClientOptions } from './options.ts';

export type ConfirmCall = { name: string; title: string; args: ToolArguments };

export type ToolOptions = ClientOptions & {
  /** Only these, by name. */
  only?: readonly string[];
  /** All but these. */
  exclude?: readonly string[];
  /** Only those that change and spend nothing. */
  readOnly?: boolean;
  /** Asked before a tool that spends money or destroys; anything but true refuses the call. */
  confirm?: (call: ConfirmCall) => boolean | Promise<boolean>;
};

export type AgentTool = {
  name: string;
  title: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: ToolSpec['parameters'];
  destructive: boolean;
  /** Never throws: a failure is `{ error }`. */
  run(args: unknown, options?: CallOptions): Promise<ToolResult>;
};

/** A wrong name would silently add or drop a tool. */
const assertKnown = (list: string, names: readonly string[] = []): void => {
  const unknown = names.find((name) => !tools.some((tool) => tool.name === name));
  if (unknown === undefined) return;
  const known = tools.map(({ name }) => name).join(', ');
  throw clientError(
    'invalid_options',
    `${list} names ${JSON.stringify(unknown)}, which is no tool.`,
    `There are: ${known}.`,
  );
};

const notConfirmed = (name: string) =>
  clientError(
    'not_confirmed',
    `The call of ${name} was not confirmed.`,
    'Nothing was sent. Ask the user what to change; do not simply call it again.',
  ).toJSON();

/** @throws ServiceError invalid_options */
export const letterTools = (options: ToolOptions = {}): AgentTool[] => {
  const { only, exclude, readOnly = false, confirm, ...client } = options;
  assertKnown('only', only);
  assertKnown('exclude', exclude);
  const execute = createExecutor(client);
  return tools
    .filter(({ name }) => (only?.includes(name) ?? true) && !exclude?.includes(name))
    .filter(({ read_only }) => read_only || !readOnly)
    .map(({ name, title, description, parameters, destructive }) => ({
      name,
      title,
      description,
      parameters,
      destructive,
      async run(args, callOptions) {
        if (!destructive || !confirm) return execute(name, args as ToolArguments, callOptions);
        try {
          // The hook gets a copy, so that the call is made as it was confirmed.
          const given = structuredClone(checkedArguments(name, args));
          const shown = structuredClone(given);
          if ((await confirm({ name, title, args: shown })) !== true) return notConfirmed(name);
          return execute(name, given, callOptions);
        } catch (error) {
          return failureOf(error);
        }
      },
    }));
};
