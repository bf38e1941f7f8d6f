/** `/console/wallet`: balance and statement. */
import { fieldsOf } from '../form.ts';
import { frameWords } from '../frame-words.ts';
import { ask, askFile, type Route } from '../visit.ts';
import { type Wallet, walletBody } from './wallet-page.ts';

export const walletRoutes: Route[] = [
  {
    method: 'GET',
    path: '/wallet',
    room: 'wallet',
    async handle(visit) {
      const wallet = await ask<Wallet>(visit, 'get_balance');
      const title = frameWords[visit.language].rooms.wallet;
      return { title, room: 'wallet', body: walletBody(wallet, visit) };
    },
  },
  {
    method: 'GET',
    path: '/wallet/statement.csv',
    room: 'wallet',
    async handle(visit) {
      const query = fieldsOf(visit.query, ['from', 'to']);
      const file = await askFile(visit, 'get_statement', { query });
      return { file, type: 'text/csv; charset=utf-8', name: 'statement.csv' };
    },
  },
];
