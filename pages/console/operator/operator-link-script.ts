import type { StaticFiles } from '../../../contract/static-files.ts';

/** Fills in the code of a link that was opened, and takes it out of the address. Without scripts it is pasted. */
const script = `const code = location.hash.slice(1);
if (code !== '') {
  history.replaceState(null, '', location.pathname);
  document.getElementById('code').value = code;
}
`;

export const operatorLinkScript = '/console/operator-link.js';

export const operatorAssets = (): StaticFiles => ({
  contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
  files: [
    {
      path: operatorLinkScript,
      type: 'text/javascript; charset=utf-8',
      bytes: Buffer.from(script),
    },
  ],
});
