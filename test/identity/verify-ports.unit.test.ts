import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import { failedResolution } from '../../identity/resolver.ts';
import { createVerifyPorts } from '../../infra/identity/verify-ports.ts';

type Ports = Parameters<typeof createVerifyPorts>[0];

describe('the verifier of credentials', () => {
  const resolvedTo = (resolution: ReturnType<typeof failedResolution>) => {
    const resolver = { resolve: async () => resolution };
    const verify = createVerifyPorts({ resolver, clock: () => 0 } as unknown as Ports);
    return verify().resolve('did:web:agent.example');
  };

  it('says of an issuer that it cannot be resolved where its document is not there', async () => {
    expect(await resolvedTo(failedResolution('notFound', 'nothing is there'))).to.deep.equal({
      detail: 'nothing is there',
    });
  });

  it('says nothing of an issuer while the service is too busy to fetch its document', async () => {
    const busy = failedResolution('internalError', 'too many are being fetched');
    const asked = await resolvedTo(busy).catch((error: Error) => error);
    expect(asked).to.be.instanceOf(AppError).with.include({ code: 'overloaded' });
  });
});
