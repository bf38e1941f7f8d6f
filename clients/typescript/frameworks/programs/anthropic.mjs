import Anthropic from '@anthropic-ai/sdk';
import { anthropicTools } from 'letters-client/anthropic';
import { calls, options, tell } from './scenario.mjs';

const tools = anthropicTools(options);
let seen = [];
let turn = 0;
const fetch = async (_url, { body }) => {
  turn += 1;
  const { messages } = JSON.parse(body);
  seen = messages.at(-1).content;
  const content =
    turn === 1
      ? calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }))
      : [{ type: 'text', text: 'Done.' }];
  const message = {
    id: `msg_${turn}`,
    type: 'message',
    role: 'assistant',
    model: 'fake',
    content,
    stop_reason: turn === 1 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
  return new Response(JSON.stringify(message), { headers: { 'content-type': 'application/json' } });
};
const client = new Anthropic({ apiKey: 'fake', fetch });
await client.beta.messages.toolRunner({
  model: 'fake',
  max_tokens: 100,
  tools,
  messages: [{ role: 'user', content: 'Go.' }],
});
const text = (content) => (typeof content === 'string' ? content : content[0].text);
tell(
  {
    names: tools.map(({ name }) => name),
    readOnly: anthropicTools({ readOnly: true }).map(({ name }) => name),
  },
  Object.fromEntries(seen.map(({ tool_use_id, content }) => [tool_use_id, text(content)])),
);
