import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { aiSdkTools } from 'letters-client/ai-sdk';
import { madeUpTurns, options, tell } from './scenario.mjs';

const tools = aiSdkTools(options);
const model = new MockLanguageModelV4({ doGenerate: madeUpTurns() });
const { steps } = await generateText({ model, tools, prompt: 'Go.', stopWhen: stepCountIs(3) });
const results = steps.flatMap((step) => step.toolResults);
tell(
  { names: Object.keys(tools), readOnly: Object.keys(aiSdkTools({ readOnly: true })) },
  Object.fromEntries(results.map(({ toolCallId, output }) => [toolCallId, output])),
);
