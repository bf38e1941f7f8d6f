/**
 * A KMS for tests: the server of `moto`, which checks signatures. `TEST_KMS_KEY_ID`, `TEST_KMS_REGION`,
 * `TEST_KMS_ACCESS_KEY_ID` and `TEST_KMS_SECRET_ACCESS_KEY` name a real key of AWS instead.
 */
import { AwsClient } from 'aws4fetch';
import type { KmsOptions } from '../../infra/keys/providers/aws-kms.ts';
import { startS3Server } from './s3-server.ts';

export type KmsServer = { options: KmsOptions; stop(): Promise<void> };

const region = 'eu-central-1';

const realOptions = (): KmsOptions | undefined => {
  const { TEST_KMS_KEY_ID, TEST_KMS_REGION = region } = process.env;
  if (!TEST_KMS_KEY_ID) return undefined;
  return {
    keyId: TEST_KMS_KEY_ID,
    region: TEST_KMS_REGION,
    endpoint: undefined,
    accessKeyId: process.env.TEST_KMS_ACCESS_KEY_ID ?? '',
    secretAccessKey: process.env.TEST_KMS_SECRET_ACCESS_KEY ?? '',
    sessionToken: undefined,
  };
};

export const startKmsServer = async (): Promise<KmsServer> => {
  const real = realOptions();
  if (real) return { options: real, stop: async () => {} };
  const { endpoint, accessKeyId, secretAccessKey, stop } = await startS3Server();
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: 'kms', region });
  const answer = await client.fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'TrentService.CreateKey',
    },
    body: '{}',
  });
  if (!answer.ok) throw new Error(`no key was made: ${answer.status} ${await answer.text()}`);
  const { KeyMetadata: made } = (await answer.json()) as { KeyMetadata: { KeyId: string } };
  const options = { keyId: made.KeyId, region, endpoint, accessKeyId, secretAccessKey };
  return { options: { ...options, sessionToken: undefined }, stop };
};
