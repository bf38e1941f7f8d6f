import { expect } from 'chai';
import { parseJwt, signJwt } from '../../identity/jwt.ts';
import type { Verification } from '../../identity/verify-credential.ts';
import { commandOf } from '../../operator/commands.ts';
import { expectProblem, until, useService } from '../support/client.ts';

describe('POST /api/identity/verify-vc', () => {
  const { service, call, register } = useService();
  const path = '/api/identity/verify-vc';
  const verify = async (credential: string, more = {}): Promise<Verification> => {
    const answer = await call<Verification>('POST', path, { credential, ...more });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };

  /** The credentials of everything that is in the log now. */
  const issued = async (): Promise<string[]> => {
    const { store, credentials } = service().service.foundation.storage;
    await until(async () => {
      const head = await store.head();
      return (await credentials.range(0, 10_000)).at(-1)?.position === head;
    });
    return (await credentials.range(0, 10_000)).map(({ jwt }) => jwt);
  };

  const operator = async (...args: string[]): Promise<string> => {
    const lines: string[] = [];
    const code = await commandOf(args)(service().service.foundation, (line) => lines.push(line));
    expect(code, lines.join('\n')).to.equal(0);
    return lines.join('\n');
  };

  it('verifies the credential of every event, whoever asks', async () => {
    const user = await register();
    const { letter_id: letterId } = await user.send();
    const tokens = await issued();
    const results = await Promise.all(tokens.map((token) => verify(token)));
    expect(results.map(({ valid }) => valid)).to.not.include(false);
    const subjects = results.map(({ subject }) => subject);
    expect(subjects).to.include(`urn:uuid:${letterId}`);
    expect(JSON.stringify(results)).to.not.match(/Lindenstra|Anna|Bob Sender|example\.com/);
  });

  it('answers a bad token with what is wrong, and 200', async () => {
    const [token = ''] = await issued();
    for (const bad of ['x', 'a.b.c', '....', `${token}.`, token.slice(1), 'ü'.repeat(9)]) {
      const { valid, checks, credential } = await verify(bad);
      expect(valid).to.equal(false);
      expect(checks.find(({ ok }) => ok === false)?.code).to.equal('malformed');
      expect(credential).to.equal(null);
    }
  });

  it('is never satisfied with a changed byte, and never breaks at one', async () => {
    const [token = ''] = await issued();
    const bytes = Buffer.from(token);
    for (let n = 0; n < 200; n++) {
      const flipped = Buffer.from(bytes);
      const at = (n * 7_919) % bytes.length;
      flipped[at] = (flipped[at] as number) ^ (1 << (n % 7));
      expect((await verify(flipped.toString('latin1'))).valid, `byte ${at}`).to.equal(false);
    }
  });

  it('refuses what is not a request', async () => {
    expectProblem(await call('POST', path, {}), 422, 'validation_failed');
    expectProblem(await call('POST', path, { credential: {} }), 422, 'validation_failed');
    expectProblem(
      await call('POST', path, { credential: 'x', policy: 'lax' }),
      422,
      'validation_failed',
    );
    expectProblem(await call('POST', path, undefined, { raw: '{' }), 400, 'invalid_json');
  });

  it('goes on with a new key when the operator rotates one', async () => {
    const before = await issued();
    const { serviceKeys } = service().service.foundation.keys;
    const old = serviceKeys.activeKey('credential').keyId;
    const shown = await operator('rotate-key', 'credential');
    expect(shown).to.include(`credential ${old}: retired`);
    await register();
    const tokens = await issued();
    const results = await Promise.all(tokens.map((token) => verify(token)));
    expect(results.map(({ valid }) => valid)).to.not.include(false);
    expect(results.at(-1)?.issuer).to.not.equal(results[before.length - 1]?.issuer);
    expect(serviceKeys.activeKey('credential').keyId).to.not.equal(old);
  });

  it('ends the trust in a key that the operator revokes, but in what the service attests anew', async () => {
    const before = await issued();
    const { serviceKeys } = service().service.foundation.keys;
    const stolen = serviceKeys.activeKey('credential').keyId;
    const trusted = before.length - 2;
    const shown = await operator('revoke-key', stolen, '--trusted-log-size', String(trusted));
    expect(shown).to.include(`trusted below leaf ${trusted}`);
    await register();
    const tokens = await issued();
    const results = await Promise.all(tokens.map((token) => verify(token)));
    expect(results.map(({ valid }) => valid)).to.not.include(false);
    expect(results[trusted]?.checks.find(({ name }) => name === 'key_validity')?.detail).to.include(
      'attests this anew',
    );

    const { header, payload } = parseJwt(before[trusted] ?? '', { maxBytes: 16_384 });
    const forged = signJwt(
      header,
      { ...payload, nbf: Number(payload.nbf) - 1 },
      serviceKeys.signingKeyById(stolen).sign,
    );
    const codes = (await verify(forged)).checks.flatMap(({ code }) => code ?? []);
    expect(codes).to.deep.equal(['key_revoked', 'not_in_log']);
    expect(await operator('verify')).to.match(/credentials: [\d,]+\n(.*\n)*OK: everything holds\./);
  });

  it('takes the last checkpoint before the compromise that the operator names', async () => {
    const { keys, storage } = service().service.foundation;
    const { serviceKeys } = keys;
    const { credentials } = storage;
    await issued();
    const { size = 0, at = '' } = (await credentials.checkpoint()) ?? {};
    const { keyId } = serviceKeys.activeKey('ucan');
    await operator('revoke-key', keyId, '--compromised-at', at);
    expect(serviceKeys.identity().keys.find((key) => key.keyId === keyId)).to.include({
      state: 'revoked',
      trustedLogSize: size,
    });
    expect(serviceKeys.ucanRoots().map(({ revoked }) => revoked)).to.deep.equal([true, false]);
  });

  it('refuses to revoke what there is not, or without saying what is trusted', async () => {
    const run = (...args: string[]) =>
      Promise.resolve()
        .then(() => commandOf(args)(service().service.foundation, () => {}))
        .catch((error: Error) => error.message);
    expect(await run('revoke-key', 'credential-x', '--trusted-log-size', '0')).to.match(/no key/);
    expect(await run('revoke-key', 'credential-x')).to.match(/--compromised-at INSTANT/);
    expect(await run('revoke-key', 'x', '--compromised-at', 'yesterday')).to.match(/an instant/);
    expect(await run('rotate-key', 'everything')).to.match(/not one of credential, ucan/);
    const { keyId } = service().service.foundation.keys.serviceKeys.activeKey('log');
    expect(await run('revoke-key', keyId, '--trusted-log-size', '999999')).to.match(/is more/);
    const year = new Date().getUTCFullYear() + 1;
    const later = ['revoke-key', keyId, '--compromised-at', `${year}-01-31T14:00:00Z`];
    expect(await run(...later)).to.match(/in the future; nothing was changed/);
    expect(service().service.foundation.keys.serviceKeys.activeKey('log').keyId).to.equal(keyId);
  });

  it('gives the same bytes when the operator has everything issued again', async () => {
    const before = await issued();
    expect(await operator('reissue-credentials')).to.match(
      /^issued again, the same log: \d+ events/,
    );
    expect(await issued()).to.deep.equal(before);
    await register();
    expect((await issued()).slice(0, before.length)).to.deep.equal(before);
    expect(await operator('verify')).to.include('OK: everything holds.');
  });

  it('shows how far issuing is', async () => {
    await issued();
    await until(async () => {
      const { body } = await call<{ reactors: { name: string; lag: string }[] }>('GET', '/health');
      return body.reactors.find(({ name }) => name === 'issue-credentials')?.lag === '0';
    });
    const metrics = await call('GET', '/metrics');
    expect(metrics.text).to.match(/reactor_position\{reactor="issue-credentials"\} [1-9]/);
  });
});
