/** A symmetric key of AWS KMS, by its JSON protocol with Signature V4. */
import { AwsV4Signer } from 'aws4fetch';
import { callKeyService } from './http-key-service.ts';
import { type KeyProvider, KeyProviderFailed } from './provider.ts';

export type KmsOptions = {
  /** Id, ARN or alias of the key. */
  keyId: string;
  region: string;
  /** Absent: Amazon's of the region. */
  endpoint: string | undefined;
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string | undefined;
};

/** As the API answers: the blob that was asked for, or the error. */
type Answer = { CiphertextBlob?: string; Plaintext?: string; __type?: string } & Record<
  'message' | 'Message',
  string | undefined
>;

export const createKmsProvider = (options: KmsOptions): KeyProvider => {
  const { keyId, region, endpoint, accessKeyId, secretAccessKey, sessionToken } = options;
  const url = new URL(endpoint ?? `https://kms.${region}.amazonaws.com`);
  const name = `the KMS key ${keyId} in ${region}`;

  const call = async (
    action: 'Encrypt' | 'Decrypt',
    body: Record<string, unknown>,
    wanted: 'CiphertextBlob' | 'Plaintext',
  ): Promise<string> => {
    const text = JSON.stringify({ KeyId: keyId, ...body });
    const { status, json } = await callKeyService(name, async () => {
      const signed = await new AwsV4Signer({
        method: 'POST',
        url: url.href,
        headers: {
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `TrentService.${action}`,
        },
        body: text,
        service: 'kms',
        region,
        accessKeyId,
        secretAccessKey,
        ...(sessionToken === undefined ? {} : { sessionToken }),
      }).sign();
      return { url, headers: Object.fromEntries(signed.headers), body: text };
    });
    const answer = (json ?? {}) as Answer;
    const blob = answer[wanted];
    if (status === 200 && blob !== undefined) return blob;
    const code = answer.__type?.replace(/^.*#/, '') ?? 'no reason given';
    throw new KeyProviderFailed(
      `${name} refuses to ${action.toLowerCase()}: ${status} ${code}. Check KMS_KEY_ID and the rights of KMS_ACCESS_KEY_ID. Nothing was changed.`,
    );
  };

  return {
    kek: `aws-kms:${keyId}`,
    name,
    seal: (plain, context) =>
      call(
        'Encrypt',
        { Plaintext: plain.toString('base64'), EncryptionContext: { letters: context } },
        'CiphertextBlob',
      ),
    open: async (sealed, context) =>
      Buffer.from(
        await call(
          'Decrypt',
          { CiphertextBlob: sealed, EncryptionContext: { letters: context } },
          'Plaintext',
        ),
        'base64',
      ),
  };
};
