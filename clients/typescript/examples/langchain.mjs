// npm install /path/to/letters-client-0.2.0.tgz @langchain/core
// SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_… node langchain.mjs
import { langchainTools } from 'letters-client/langchain';

const tools = langchainTools({
  // Ask a person here. Only `true` lets a letter be sent.
  confirm: ({ name, args }) => {
    console.log(`Not confirmed: ${name} to ${args.to_name}`);
    return false;
  },
});

// With a model: createAgent({ model: 'anthropic:claude-sonnet-4-5', tools }) of the package `langchain`.
const quote = tools.find(({ name }) => name === 'quote_letter');
console.log(await quote.invoke({ to_country: 'DE', pages: 2 }));
