/** A node of LangGraph runs again: the same call of the same run, then one of another run, and one of no graph. */
import { langchainTools } from 'letters-client/langchain';

const args = JSON.parse(process.env.LETTER ?? '{}');
const [send] = langchainTools({ only: ['send_letter'] });
const sent = [];
for (const [id, run] of [
  ['1', 'tools:1'],
  ['1', 'tools:1'],
  ['2', 'tools:1'],
  ['1', 'tools:2'],
  ['1', ''],
  ['1', ''],
]) {
  const call = { type: 'tool_call', id, name: 'send_letter', args };
  const message = await send.invoke(call, { configurable: { checkpoint_ns: run } });
  sent.push(JSON.parse(message.content).letter_id);
}
console.log(JSON.stringify(sent.map((id) => sent.indexOf(id))));
process.exit(0);
