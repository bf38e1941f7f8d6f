/** The page at the address of the service: what it is, and how to start. */

import { endpointsOf, type ServiceFacts } from '../../contract/service-facts.ts';
import { lazily } from '../../ground/lazily.ts';
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import { sampleRecipient } from '../../postal/sample-recipient.ts';
import type { presentCatalogue } from '../../presenters/catalogue.ts';
import { type Html, html } from '../html.ts';
import { framed, framePolicy } from '../reference/frame.ts';
import { highlighted } from '../reference/highlight.ts';

export const homePagePolicy = framePolicy;

type Prices = readonly ReturnType<typeof presentCatalogue>[];

/** Made at the first request for the page, because loading the formats would add 20 ms to each start. */
const formats = lazily({
  dollars: () => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }),
  list: () => new Intl.ListFormat('en'),
});

/** "the United States", as a sentence names a country. */
const named = (name: string): string => (name.startsWith('United') ? `the ${name}` : name);

const cheapestOf = ({ services }: Prices[number]): number =>
  Math.min(...services.map(({ price_from }) => price_from.total));

const priceText = (prices: Prices): string =>
  formats.list.format(
    prices.map((one) => `to ${named(one.name)} ${formats.dollars.format(cheapestOf(one))}`),
  );

const serviceRows = ({ country, name, services }: Prices[number]): Html[] =>
  services.map(
    (one, index) =>
      html`<tr>${index === 0 ? html`<th scope="rowgroup" rowspan="${services.length}">${name} (${country})</th>` : undefined}<td>${one.name}</td><td><code>${one.service}</code></td><td>${formats.dollars.format(one.price_from.total)}${one.estimate ? ' (estimate)' : ''}</td><td>${one.sla_days}</td></tr>`,
  );

const priceSection = (prices: Prices): Html => html`<section>
<h2 id="services">Countries, services and prices</h2>
<p>One page in black and white from a dollar wallet: postage, printing, envelope and commission. <code>POST /api/quote</code> itemises the price of any letter.</p>
<div class="wide" role="group" aria-label="Countries, services and prices" tabindex="0">
<table>
<thead><tr><th scope="col">Country</th><th scope="col">Product</th><th scope="col">Service</th><th scope="col">One page</th><th scope="col">Business days</th></tr></thead>
${prices.map((one) => html`<tbody>${serviceRows(one)}</tbody>`)}
</table>
</div>
</section>`;

const code = (title: string, text: string): Html => html`<figure class="code">
<figcaption>${title}</figcaption>
<pre tabindex="0" aria-label="${title}"><code>${highlighted('bash', text)}</code></pre>
</figure>`;

const registerText = (baseUrl: string): string =>
  `export SERVICE_API_KEY=$(curl -s "${baseUrl}/auth/register" \\
  -H 'Content-Type: application/json' \\
  -d '{"email": "you+'$RANDOM$RANDOM'@example.com", "mode": "test"}' \\
  | sed 's/.*"api_key":"\\([^"]*\\)".*/\\1/')`;

const keyStep = ({ registration, baseUrl }: ServiceFacts): Html =>
  registration
    ? html`<li><h3>Get a test key</h3><p>One call, no confirmation. It comes with $100.00 of test money and prints nothing.</p>${code('Register', registerText(baseUrl))}</li>`
    : html`<li><h3>Get a key</h3><p>Registration is closed: ask the operator for one.</p>${code('Key', 'export SERVICE_API_KEY=svc_…')}</li>`;

const recipientText = (prices: Prices): string =>
  Object.entries(sampleRecipient(prices.map(({ country }) => country)))
    .map(([name, value]) => `    "${name}": ${JSON.stringify(value)}`)
    .join(',\n');

const sendText = (baseUrl: string, prices: Prices): string =>
  `curl "${baseUrl}/api/send" \\
  -H "Authorization: Bearer $SERVICE_API_KEY" \\
  -H "Idempotency-Key: first-$(date +%s)" \\
  -H 'Content-Type: application/json' \\
  -d '{
${recipientText(prices)},
    "from_name": "Max Beispiel", "from_line1": "Hauptstr. 1",
    "from_city": "Hamburg", "from_postal_code": "20095", "from_country": "DE",
    "content": "Hello by post."
  }'`;

const followText = (baseUrl: string): string =>
  `curl "${baseUrl}/api/letters?limit=1" \\
  -H "Authorization: Bearer $SERVICE_API_KEY"`;

const paymentItems = ({ x402, topUps }: ServiceFacts, prefix: string): Html[] => [
  html`<li><strong>Wallet</strong>: a prepaid balance in US dollars${topUps.length > 0 ? `, filled by ${topUps.map((way) => ({ usdc: 'USDC', lightning: 'Bitcoin Lightning', card: 'card' })[way]).join(', ')}` : ', filled by the operator'}.</li>`,
  ...(x402
    ? [
        html`<li><strong>x402</strong>: a single request is paid with USDC on ${x402.networkName}${x402.testnet ? ' (a test network)' : ''}, without an account. <a href="${prefix}/x402">How</a>.</li>`,
      ]
    : []),
  html`<li><strong>Test money</strong>: a test account starts with $100.00; its letters are never printed.</li>`,
];

export const homePage = (facts: ServiceFacts, prices: Prices): string => {
  const { baseUrl, name, version, description } = facts;
  const prefix = pathPrefixOf(baseUrl);
  const endpoints = Object.entries(endpointsOf(facts));
  return framed({
    title: name,
    service: name,
    version,
    prefix,
    description,
    kind: 'home',
    content: html`<section class="hero">
<h1>Real letters, by one API call</h1>
<p class="lead">For businesses, developers and AI agents that have to send paper: invoices, reminders, notices and contracts to ${formats.list.format(prices.map((one) => named(one.name)))}.</p>
<p>Send an address and a text, HTML or a PDF. The service checks the address, shows the price before you pay, prints and posts the letter, and reports its status. Every step is signed, so you can prove it.</p>
<p>One page ${priceText(prices)}, with postage. <a href="#services">All prices</a></p>
<p class="actions"><a class="button" href="#start">Send a test letter with curl</a> <a class="button quiet" href="${prefix}/api-docs">Read the reference</a></p>
</section>

<section>
<h2 id="start">Start in three calls</h2>
<ol class="steps">
${keyStep(facts)}
<li><h3>Send a letter</h3><p>Without <code>service</code> the cheapest of the country is taken. The answer has the price and the status.</p>${code('Send', sendText(baseUrl, prices))}</li>
<li><h3>Follow it</h3><p>Read the status, or receive it by <a href="${prefix}/api-docs/guides/webhooks">webhook</a>.</p>${code('Follow', followText(baseUrl))}</li>
</ol>
</section>

<section>
<h2 id="more">For whom, and where</h2>
<ul class="cards">
<li><h3><a href="${prefix}/api-docs">Developers</a></h3><p>The reference, with samples in curl, TypeScript and Python. Try calls in the <a href="${prefix}/docs">console</a>, or load <a href="${prefix}/openapi.json">openapi.json</a>.</p></li>
<li><h3><a href="${prefix}/api-docs/guides/mcp">AI assistants</a></h3><p>Point an assistant at <code>${baseUrl}/mcp</code>. What there is for agents stands in <a href="${prefix}/.well-known/agent.json">agent.json</a> and <a href="${prefix}/llms.txt">llms.txt</a>.</p></li>
<li><h3><a href="${prefix}/api-docs/guides/audit">Auditors</a></h3><p>Each event of a letter has a credential of its own. Its history verifies offline, without trusting this server: <a href="${prefix}/api-docs/guides/audit">how to verify a history</a>, <a href="${prefix}/.well-known/verify-audit.mjs">the verifier</a>.</p></li>
</ul>
</section>

${priceSection(prices)}

<section>
<h2 id="paying">Paying</h2>
<ul>
${paymentItems(facts, prefix)}
</ul>
</section>

<section>
<h2 id="addresses">Addresses</h2>
<dl class="facts">
${endpoints.map(([part, url]) => html`<div><dt>${part}</dt><dd><code>${url}</code></dd></div>`)}
<div><dt>DID</dt><dd><code>${facts.did}</code></dd></div>
</dl>
<p>Programs get the same from this address as JSON: <code>curl ${baseUrl}/</code></p>
</section>`,
  });
};
