import { expect } from 'chai';
import { warnOfLostCheckpoints } from '../../service/wings/issuing.ts';

type Ports = Parameters<typeof warnOfLostCheckpoints>[0];

describe('a start beside events', () => {
  const warningsOf = async (types: string[], checkpoint?: object): Promise<string[]> => {
    const warnings: string[] = [];
    await warnOfLostCheckpoints({
      log: { warn: (_: object, line: string) => warnings.push(line) },
      storage: {
        credentials: { checkpoint: async () => checkpoint },
        store: { readAll: async () => types.map((type) => ({ type })) },
      },
    } as unknown as Ports);
    return warnings;
  };

  it('warns where no signed checkpoint is left', async () => {
    const [warning, ...others] = await warningsOf(['ServiceIdentityChanged', 'AccountRegistered']);
    expect(warning).to.include('identity.checkpoints is empty').and.include('--checkpoint');
    expect(others).to.deep.equal([]);
  });

  it('says nothing of a service that is new, or has its checkpoints', async () => {
    expect(await warningsOf(['ServiceIdentityChanged'])).to.deep.equal([]);
    expect(await warningsOf([])).to.deep.equal([]);
    expect(await warningsOf(['AccountRegistered'], { size: 1 })).to.deep.equal([]);
  });
});
