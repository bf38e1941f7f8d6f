/** One message to the webhook, as its receiver gets it. */
import type { Static } from 'typebox';
import type { Notification, WebhookMessage } from '../../../presenters/account.ts';
import { type Html, html } from '../../html.ts';
import { idempotencyField } from '../form.ts';
import { moment } from '../format.ts';
import type { Visit } from '../visit.ts';
import { attemptsOf, channelOf } from './webhooks-page.ts';
import { webhooksWords } from './webhooks-words.ts';

type Message = Static<typeof Notification>;

export const messageBody = (
  message: Message,
  { headers, body }: Static<typeof WebhookMessage>,
  visit: Visit,
): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language];
  const { channels, letter_id: letterId } = message;
  const resend = at(`/webhooks/${encodeURIComponent(message.id)}/resend`);
  return html`<p><a href="${at('/webhooks')}">${words.message.back}</a>${letterId ? html` · <a href="${at(`/letters/${letterId}`)}">${words.message.letter}</a>` : undefined}</p>
<p><code>${message.type}</code> · ${moment(message.created_at, language)}</p>
<h2>${words.message.headers}</h2>
<dl class="facts">${Object.entries(headers).map(([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`)}</dl>
<p class="hint">${words.message.hint}</p>
<h2>${words.message.body}</h2>
<pre class="message"><code>${body}</code></pre>
<h2>${words.columns.attempts}</h2>
${channels.length === 0 ? html`<p>${words.noChannel}</p>` : html`<ul class="plain">${channels.map((one) => html`${channelOf(one, visit, words)}${attemptsOf(one, visit, words)}`)}</ul>`}
<form method="post" action="${resend}">${idempotencyField()}<p><button class="button" type="submit">${words.resend}</button></p></form>`;
};
