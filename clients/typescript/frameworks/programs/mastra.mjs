import { Agent } from '@mastra/core/agent';
import { MockLanguageModelV3 } from 'ai/test';
import { mastraTools } from 'letters-client/mastra';
import { madeUpTurns, options, tell } from './scenario.mjs';

const tools = mastraTools(options);
const model = new MockLanguageModelV3({ doGenerate: madeUpTurns() });
const agent = new Agent({ id: 'post', name: 'post', instructions: 'Go.', model, tools });
const { toolResults } = await agent.generate('Go.', { maxSteps: 3 });
const results = toolResults.map((one) => one.payload ?? one);
tell(
  { names: Object.keys(tools), readOnly: Object.keys(mastraTools({ readOnly: true })) },
  Object.fromEntries(results.map(({ toolCallId, result }) => [toolCallId, result])),
);
