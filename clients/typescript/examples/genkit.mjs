// npm install /path/to/letters-client-0.2.0.tgz genkit
// SERVICE_URL=http://localhost:3000 SERVICE_API_KEY=svc_test_… node genkit.mjs
import { genkit } from 'genkit';
import { genkitTools } from 'letters-client/genkit';

const ai = genkit({});
const tools = genkitTools(ai, { exclude: ['send_letter'] });

// With a model: await ai.generate({ model, tools, prompt: 'What does a letter to Germany cost?' })
const quote = tools.find((tool) => tool.__action.name === 'quote_letter');
console.log(await quote({ to_country: 'DE', pages: 2 }));
