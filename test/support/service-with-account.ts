import { randomBytes } from 'node:crypto';
import { clientOf } from './client.ts';
import { startTestService, type TestService } from './service.ts';
import { serviceDatabase } from './service-database.ts';

/**
 * A service whose settings name an account: it is registered first, and the service is started again on the same
 * database with what `settingsFor` says of its id.
 */
export const startWithAccount = async (
  account: { email: string; mode: 'test' | 'live' },
  settingsFor: (accountId: string) => Record<string, string>,
): Promise<{ service: TestService; accountId: string; key: string }> => {
  const database = await serviceDatabase();
  const shared = {
    DATABASE_URL: database.url,
    MASTER_KEY: randomBytes(32).toString('base64'),
  };
  const earlier = await startTestService(shared);
  const { body } = await clientOf(() => earlier).call<{ account_id: string; api_key: string }>(
    ...(['POST', '/auth/register', account] as const),
  );
  await earlier.stop();
  const started = await startTestService({ ...shared, ...settingsFor(body.account_id) });
  const stop = async (): Promise<void> => {
    await started.stop();
    await database.drop();
  };
  return { service: { ...started, stop }, accountId: body.account_id, key: body.api_key };
};
