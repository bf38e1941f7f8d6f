/** Calls whose run is cancelled while the user is asked, by the frameworks that hand a signal to their tools. */
import { RunContext, setTracingDisabled } from '@openai/agents';
import { createClient } from 'letters-client';
import { aiSdkTools } from 'letters-client/ai-sdk';
import { anthropicTools } from 'letters-client/anthropic';
import { mastraTools } from 'letters-client/mastra';
import { openaiAgentsTools } from 'letters-client/openai-agents';

setTracingDisabled(true);
const letter = JSON.parse(process.env.LETTER ?? '{}');

/** The answer to a send whose run is cancelled, and confirmed anyway. */
const cancelled = async (toolsOf, call) => {
  const run = new AbortController();
  const confirm = () => {
    run.abort();
    return true;
  };
  const answer = await call(toolsOf({ only: ['send_letter'], confirm }), run.signal);
  return typeof answer === 'string' ? JSON.parse(answer) : answer;
};

const answers = {
  'ai-sdk': await cancelled(aiSdkTools, ({ send_letter: tool }, abortSignal) =>
    tool.execute(letter, { abortSignal, toolCallId: '1', messages: [] }),
  ),
  anthropic: await cancelled(anthropicTools, ([tool], signal) => tool.run(letter, { signal })),
  mastra: await cancelled(mastraTools, ({ send_letter: tool }, abortSignal) =>
    tool.execute(letter, { abortSignal }),
  ),
  'openai-agents': await cancelled(openaiAgentsTools, ([tool], signal) =>
    tool.invoke(new RunContext(), JSON.stringify(letter), { signal }),
  ),
};
const { data } = await createClient().list_letters();
console.log(JSON.stringify({ answers, sent: data.length }));
process.exit(0);
