/** The CRUD version of the service, in a process of its own. */
import { creditMicro, type ServiceProcess } from './service-process.ts';
import { forkScript, messageOf } from './stage.ts';

export const crudAccounts = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `acct-${n}`);

export const startCrudProcess = async (
  url: string,
  accounts: string[],
): Promise<ServiceProcess> => {
  const child = forkScript('./peers/crud-server.js');
  const ready = messageOf(child, (message) => (message as { port?: number }).port);
  child.process.send({ url, accounts, balanceMicro: Number(creditMicro) });
  return { ...child, port: await ready };
};
