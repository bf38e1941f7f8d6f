import { hash } from 'node:crypto';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';

const path = '/.well-known/verify-audit.mjs';

/** Anybody may load it from any site; it changes with the service only. */
const headers = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' };

/**
 * The program that verifies audit bundles, for people who do not trust the copy inside a bundle.
 * @param verifier text of verify-audit.mjs
 */
export const verifierOperations = (verifier: string): AnyOperation[] => {
  const program = Buffer.from(verifier);
  const digest = hash('sha256', program, 'hex');
  const sum = Buffer.from(`${digest}  verify-audit.mjs\n`);
  return [
    operation({
      name: 'verify_audit_program',
      method: 'GET',
      path,
      tag: 'Audit',
      summary: 'Download the program that verifies audit bundles offline',
      description:
        'It needs only Node 18. Keep your own copy and verify bundles with it, not with the copy inside the bundle.',
      access: 'public',
      input: {},
      responses: {
        200: { description: 'The program', schema: Type.String(), produces: ['text/javascript'] },
      },
      errors: [],
      handle: () => ({
        body: program,
        headers: { ...headers, 'Content-Type': 'text/javascript; charset=utf-8' },
      }),
    }),
    operation({
      name: 'verify_audit_sha256',
      method: 'GET',
      path: `${path}.sha256`,
      tag: 'Audit',
      summary: 'Get its SHA-256, in the format of sha256sum',
      description:
        'Compare it with the hash of the program that you downloaded: `sha256sum --check` reads this file.',
      access: 'public',
      input: {},
      responses: {
        200: { description: 'Hash and name', schema: Type.String(), produces: ['text/plain'] },
      },
      errors: [],
      handle: () => ({
        body: sum,
        headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8' },
      }),
    }),
  ];
};
