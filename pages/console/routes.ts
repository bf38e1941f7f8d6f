/** Every page and form of the console that needs a session. */
import { approvalsRoutes } from './approvals/approvals-routes.ts';
import { changeRoutes } from './change/change-routes.ts';
import { contractsRoutes } from './contracts/contracts-routes.ts';
import { dataRoutes } from './data/data-routes.ts';
import { keysRoutes } from './keys/keys-routes.ts';
import { letterRoutes } from './letter/letter-routes.ts';
import { lettersRoutes } from './letters/letters-routes.ts';
import { recipientRoutes } from './letters/recipient-routes.ts';
import { limitsRoutes } from './limits/limits-routes.ts';
import { ordersRoutes } from './orders/orders-routes.ts';
import { proofRoutes } from './proof/proof-routes.ts';
import { requestsRoutes } from './requests/requests-routes.ts';
import { settingsRoutes } from './settings/settings-routes.ts';
import { statisticsRoutes } from './statistics/statistics-routes.ts';
import type { Route } from './visit.ts';
import { walletRoutes } from './wallet/wallet-routes.ts';
import { auditWebhooksRoutes } from './webhooks/audit-webhooks-routes.ts';
import { webhooksRoutes } from './webhooks/webhooks-routes.ts';
import { writeRoutes } from './write/write-routes.ts';

export const routes: readonly Route[] = [
  ...lettersRoutes,
  ...recipientRoutes,
  ...letterRoutes,
  ...changeRoutes,
  ...proofRoutes,
  ...writeRoutes,
  ...walletRoutes,
  ...ordersRoutes,
  ...contractsRoutes,
  ...limitsRoutes,
  ...approvalsRoutes,
  ...keysRoutes,
  ...webhooksRoutes,
  ...auditWebhooksRoutes,
  ...requestsRoutes,
  ...statisticsRoutes,
  ...settingsRoutes,
  ...dataRoutes,
];
