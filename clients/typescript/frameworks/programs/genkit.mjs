import { genkit } from 'genkit';
import { genkitTools } from 'letters-client/genkit';
import { calls, options, tell } from './scenario.mjs';

const ai = genkit({});
const tools = genkitTools(ai, options);
let seen = [];
ai.defineModel({ name: 'fake', apiVersion: 'v2', supports: { tools: true } }, async (request) => {
  seen = request.messages
    .flatMap(({ content }) => content)
    .flatMap((part) => part.toolResponse ?? []);
  const asked = calls.map(({ id, name, args }) => ({
    toolRequest: { ref: id, name, input: args },
  }));
  const content = seen.length > 0 ? [{ text: 'Done.' }] : asked;
  return { message: { role: 'model', content }, finishReason: 'stop' };
});
await ai.generate({ model: 'fake', prompt: 'Go.', tools });
const other = genkit({});
tell(
  {
    names: tools.map((tool) => tool.__action.name),
    readOnly: genkitTools(other, { readOnly: true }).map((tool) => tool.__action.name),
  },
  Object.fromEntries(seen.map(({ ref, output }) => [ref, output])),
);
