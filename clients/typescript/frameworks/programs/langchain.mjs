import { langchainTools } from 'letters-client/langchain';
import { calls, options, tell } from './scenario.mjs';

const tools = langchainTools(options);
const results = {};
for (const { id, name, args } of calls) {
  const tool = tools.find((one) => one.name === name);
  const message = await tool.invoke({ type: 'tool_call', id, name, args });
  results[message.tool_call_id] = message.content;
}
tell(
  {
    names: tools.map(({ name }) => name),
    readOnly: langchainTools({ readOnly: true }).map(({ name }) => name),
  },
  results,
);
