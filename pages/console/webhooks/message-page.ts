/** One message to the webhook, as its receiver gets it. */
import type { Static } from 'typebox';
import type { Notification, WebhookMessage } from '../../../presenters/account.ts';
import { type Html, html } from '../../html.ts';
import { moment } from '../format.ts';
import type { Visit } from '../visit.ts';
import { attemptsOf, carriedPart, channelOf, resendForm } from './webhooks-page.ts';
import { webhooksWords } from './webhooks-words.ts';

type Message = Static<typeof Notification>;

export const messageBody = (
  message: Message,
  { headers, body, canResend }: Static<typeof WebhookMessage> & { canResend: boolean },
  visit: Visit,
): Html => {
  const { at, language } = visit;
  const words = webhooksWords[language];
  const { channels, letter_id: letterId } = message;
  return html`<p><a href="${at('/webhooks')}">${words.message.back}</a>${letterId ? html` · <a href="${at(`/letters/${letterId}`)}">${words.message.letter}</a>` : undefined}</p>
<p><code>${message.type}</code> · ${moment(message.created_at, language)}</p>
${carriedPart(headers, html`<pre class="message"><code>${body}</code></pre>`, visit)}
<h2>${words.columns.attempts}</h2>
${channels.length === 0 ? html`<p>${words.noChannel}</p>` : html`<ul class="plain">${channels.map((one) => html`${channelOf(one, visit, words)}${attemptsOf(one, visit, words)}`)}</ul>`}
${canResend ? resendForm(`/webhooks/${encodeURIComponent(message.id)}`, visit) : undefined}`;
};
