/** The one script of the console. Pages work without it. */
import { readFileSync } from 'node:fs';

export const scriptPath = '/console.js';

const fillInToken = `
/** The code of a link stands behind "#", where no server sees it. */
const token = new URLSearchParams(location.hash.slice(1)).get('token');
const field = document.querySelector('input[name="token"]');
if (token && field) {
  field.value = token;
  history.replaceState(null, '', location.pathname + location.search);
}
`;

const answerByPasskey = `
/** A form that the browser answers with a passkey is sent when it has answered. */
for (const form of document.querySelectorAll('form[data-passkey]')) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const options = JSON.parse(form.dataset.options);
    const make = form.dataset.passkey === 'create';
    try {
      const answer = make
        ? await navigator.credentials.create({
            publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
          })
        : await navigator.credentials.get({
            publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
          });
      form.elements.answer.value = JSON.stringify(answer.toJSON());
    } catch {
      form.elements.answer.value = '';
    }
    form.submit();
  });
}
`;

const elements = readFileSync(new URL('./elements.js', import.meta.url), 'utf8');

export const consoleScript: Buffer = Buffer.from(fillInToken + answerByPasskey + elements);
