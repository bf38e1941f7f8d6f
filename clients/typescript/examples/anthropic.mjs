// npm install /path/to/letters-client-0.2.0.tgz @anthropic-ai/sdk
// SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_… node anthropic.mjs
import { anthropicTools } from 'letters-client/anthropic';

const tools = anthropicTools({
  // Ask a person here. Only `true` lets a letter be sent.
  confirm: () => false,
});

// With a model: await new Anthropic().beta.messages.toolRunner({ model, max_tokens: 1024, messages, tools })
const quote = tools.find(({ name }) => name === 'quote_letter');
console.log(await quote.run({ to_country: 'DE', pages: 2 }));
