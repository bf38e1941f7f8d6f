// npm install /path/to/letters-client-0.2.0.tgz @openai/agents zod
// SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_… node openai-agents.mjs
import { Agent, invokeFunctionTool, RunContext } from '@openai/agents';
import { openaiAgentsTools } from 'letters-client/openai-agents';

const agent = new Agent({
  name: 'Post office',
  instructions:
    'Quote first. Send a letter only when the user has confirmed its text and its price.',
  // The run is interrupted before a letter is sent; your program approves or rejects it.
  tools: openaiAgentsTools({ needsApproval: true }),
});

// With a model: await run(agent, 'What does a letter of two pages to Germany cost?')
const quote = agent.tools.find(({ name }) => name === 'quote_letter');
const input = JSON.stringify({ to_country: 'DE', pages: 2 });
console.log(await invokeFunctionTool({ tool: quote, runContext: new RunContext(), input }));
process.exit();
