import type { HttpContext } from './rule.ts';

/** Sets a header unless the answer was sent: `limitTime` answers 503 for a request that goes on. */
export const setHeader = ({ res }: HttpContext, name: string, value: string): void => {
  if (!res.headersSent) res.setHeader(name, value);
};
