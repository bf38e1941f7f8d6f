import { Refused } from '../command.ts';

/** Names a database that does not answer, without its password. */
export const explainConnect = (url: string, { message }: Error): Refused => {
  const { host, pathname } = new URL(url);
  return new Refused(`the database ${host}${pathname} does not answer (${message})`);
};
