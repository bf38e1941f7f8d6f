// npm install /path/to/letters-client-0.2.0.tgz ai
// SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_… node ai-sdk.mjs
import { aiSdkTools } from 'letters-client/ai-sdk';

// Everything but spending: quotes, tracking, proof, balance.
const tools = aiSdkTools({ readOnly: true });

// With a model: generateText({ model, tools, prompt, stopWhen: stepCountIs(8) }) of the package `ai`.
const call = { toolCallId: 'example', messages: [] };
console.log(await tools.quote_letter.execute({ to_country: 'DE', pages: 2 }, call));
