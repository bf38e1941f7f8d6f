import { StoreUnavailable } from '../../events/event-store.ts';
import { Refused } from '../command.ts';

/** Names a database that does not answer or takes no writes, without its password. */
export const explainConnect = (url: string, error: Error): Refused => {
  const { host, pathname } = new URL(url);
  const why =
    error instanceof StoreUnavailable
      ? 'takes no writes; name the primary server, or reset default_transaction_read_only'
      : `does not answer (${error.message})`;
  return new Refused(`the database ${host}${pathname} ${why}`);
};
