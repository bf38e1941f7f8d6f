/** A program of a user, for its types only: nothing here is run. */
import Anthropic from '@anthropic-ai/sdk';
import { Agent as MastraAgent } from '@mastra/core/agent';
import { Agent } from '@openai/agents';
import { generateText, type LanguageModel } from 'ai';
import { genkit } from 'genkit';
import { createClient, execute, type Letter, type Payer, ServiceError } from 'letters-client';
import { aiSdkTools } from 'letters-client/ai-sdk';
import { anthropicTools } from 'letters-client/anthropic';
import { genkitTools } from 'letters-client/genkit';
import { langchainTools } from 'letters-client/langchain';
import { mastraTools } from 'letters-client/mastra';
import { openaiAgentsTools } from 'letters-client/openai-agents';
import type { CountryCode, Quote } from 'letters-client/schemas';
import { verifyStatusWebhook } from 'letters-client/webhooks';

declare const model: LanguageModel;

export const agents = async () => {
  await generateText({ model, tools: aiSdkTools({ readOnly: true }), prompt: '' });
  await new Anthropic().beta.messages.toolRunner({
    model: 'm',
    max_tokens: 1,
    messages: [],
    tools: anthropicTools(),
  });
  const ai = genkit({});
  await ai.generate({ prompt: '', tools: genkitTools(ai, { exclude: ['send_letter'] }) });
  new Agent({ name: 'a', tools: openaiAgentsTools({ needsApproval: true }) });
  new MastraAgent({ id: 'a', name: 'a', instructions: '', model: 'm/m', tools: mastraTools() });
  return langchainTools({ confirm: ({ name }) => name === 'x' }).map((tool) => tool.invoke({}));
};

export const client = async (payer: Payer) => {
  const letters = createClient({ payer });
  const info = await letters.service_info();
  const country: CountryCode = 'DE';
  const { services } = await letters.list_services({ path: { country } });
  const quote: Quote = await letters.quote_letter({ body: { to_country: country, pages: 1 } });
  const letter: Letter = await letters.get_letter({ path: { id: '' } });
  const pdf: Uint8Array = await letters.get_letter_document({ path: { id: '' } });
  const metrics: string = await letters.metrics();
  for await (const row of letters.all('list_letters', { query: { status: ['queued'] } })) {
    const id: string = row.letter_id;
    await letters.waitFor(id, 'posted');
  }
  // @ts-expect-error a letter has an id
  await letters.get_letter();
  // @ts-expect-error there is no such list
  letters.all('get_letter');
  // @ts-expect-error there is no such status
  await letters.waitFor('', 'lost');
  const result = await execute('quote_letter', { to_country: 'DE', pages: 1 });
  const error = new ServiceError({
    code: '',
    status: null,
    detail: '',
    hint: '',
    retryable: false,
  });
  const event = await verifyStatusWebhook({ headers: {}, body: '', secret: '' });
  return [
    info.version,
    services,
    quote.total,
    letter.status,
    pdf,
    metrics,
    result,
    error.code,
    event.data,
  ];
};
