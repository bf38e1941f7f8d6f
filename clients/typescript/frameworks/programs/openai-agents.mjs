import { Agent, Runner, setTracingDisabled, Usage } from '@openai/agents';
import { openaiAgentsTools } from 'letters-client/openai-agents';
import { calls, options, tell } from './scenario.mjs';

setTracingDisabled(true);
const tools = openaiAgentsTools(options);
let seen = [];
let turn = 0;
const model = {
  async getResponse({ input }) {
    turn += 1;
    seen = Array.isArray(input) ? input : [];
    const output =
      turn === 1
        ? calls.map(({ id, name, args }) => ({
            type: 'function_call',
            callId: id,
            name,
            status: 'completed',
            arguments: JSON.stringify(args),
          }))
        : [
            {
              type: 'message',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: 'Done.' }],
            },
          ];
    return { usage: new Usage(), output };
  },
};
const agent = new Agent({ name: 'post', instructions: 'Go.', tools, model });
await new Runner({ tracingDisabled: true }).run(agent, 'Go.');
const results = seen.filter(({ type }) => type === 'function_call_result');
const text = (output) => (typeof output === 'string' ? output : output.text);

const asking = new Agent({
  name: 'asking',
  instructions: 'Go.',
  model,
  tools: openaiAgentsTools({ needsApproval: true }),
});
turn = 0;
const { interruptions } = await new Runner({ tracingDisabled: true }).run(asking, 'Go.');
tell(
  {
    names: tools.map(({ name }) => name),
    readOnly: openaiAgentsTools({ readOnly: true }).map(({ name }) => name),
    interruptions: interruptions.map((one) => one.rawItem.name),
  },
  Object.fromEntries(results.map(({ callId, output }) => [callId, text(output)])),
);
