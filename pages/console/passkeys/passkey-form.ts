/** A form that the browser answers with a passkey. It needs a script, as WebAuthn does. */
import { type Html, html } from '../../html.ts';

/** The challenge for the browser, and the ticket that the form sends back for the check. */
export type Challenge = { options: object; ticket: string };

export const passkeyForm = (form: {
  action: string;
  challenge: Challenge;
  /** `create` a passkey, or `get` an answer of one. */
  does: 'create' | 'get';
  button: string;
  needsScript: string;
  fields?: Html;
}): Html => html`<form method="post" action="${form.action}" data-passkey="${form.does}" data-options="${JSON.stringify(form.challenge.options)}">
<input type="hidden" name="ticket" value="${form.challenge.ticket}">
<input type="hidden" name="answer" value="">
${form.fields}
<noscript><p class="notice">${form.needsScript}</p></noscript>
<p><button class="button" type="submit">${form.button}</button></p>
</form>`;

/** The ticket and the answer in the form. */
export const answerIn = (form: URLSearchParams): { ticket: string; answer: string } => ({
  ticket: form.get('ticket') ?? '',
  answer: form.get('answer') ?? '',
});
