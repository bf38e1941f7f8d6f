// npm install /path/to/letters-client-0.2.0.tgz @mastra/core zod
// SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_… node mastra.mjs
import { mastraTools } from 'letters-client/mastra';

// `requireApproval` suspends the run before a letter is sent.
const tools = mastraTools({ only: ['quote_letter', 'send_letter'], requireApproval: true });

// With a model: new Agent({ id: 'post', name: 'Post office', instructions, model, tools })
console.log(await tools.quote_letter.execute({ to_country: 'DE', pages: 2 }, {}));
