/** The one script of the console. Pages work without it. */

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

export const consoleScript: Buffer = Buffer.from(fillInToken);
