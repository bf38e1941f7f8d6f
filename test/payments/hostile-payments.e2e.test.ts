import { expect } from 'chai';
import { concatHex, encodeAbiParameters, type Hex, hexToBigInt, numberToHex, slice } from 'viem';
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts';
import type { BalanceJson, Sent } from '../support/client.ts';
import { clientOf, letterTo, until } from '../support/client.ts';
import { authorizationData } from '../support/evm/chain.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { type SignInChallenge, signInHeader } from '../support/evm/stock-clients.ts';
import {
  encoded,
  paymentHeader,
  payTo,
  requirementsIn,
  signed,
  x402Settings,
} from '../support/evm/x402.ts';
import { startTestService } from '../support/service.ts';

type Refused = { status: number; text: string; body: { code: string } };
type Body = Record<string, unknown>;

/** Order of the curve secp256k1. */
const curveOrder = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
/** Claims every signature as its own (EIP-1271). */
const credulousWallet: Hex = '0x631626ba7e60e01b60005260206000f3';

/** The same signature with s mirrored: curves take both, tokens the lower one alone. */
const withHighS = (signature: Hex): Hex => {
  const s = curveOrder - hexToBigInt(slice(signature, 32, 64));
  const v = slice(signature, 64) === '0x1b' ? '0x1c' : '0x1b';
  return concatHex([slice(signature, 0, 32), numberToHex(s, { size: 32 }), v]);
};

/** As a wallet that is not deployed yet would sign (ERC-6492). */
const wrapped6492 = (signature: Hex): Hex =>
  concatHex([
    encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [payTo, '0x', signature],
    ),
    `0x${'6492'.repeat(16)}`,
  ]);

describe('payments that are not what they seem', function () {
  this.timeout(180_000);
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  const signerKey = generatePrivateKey();
  before(async () => {
    paid = await startPaidService({ X402_SIGNER_KEY: signerKey });
    await paid.chain.client.setBalance({
      address: privateKeyToAccount(signerKey).address,
      value: 10n ** 20n,
    });
  });
  after(async () => {
    await paid?.stop();
  });
  const { call, register } = clientOf(() => paid.service);
  const letter = letterTo('DE');
  const send = (headers: Record<string, string> = {}, body: object = letter) =>
    call<Sent & { code: string }>('POST', '/api/send', body, { headers });
  const demand = async (body: object = letter): Promise<Body> =>
    requirementsIn(await send({}, body));
  const newPayer = () => paid.chain.newPayer(50_000_000n);
  const receivedFrom = async (signer: LocalAccount) =>
    (await paid.chain.received(payTo)).filter(({ from }) => from === signer.address);

  /** A refusal that tells nothing of the inside and has taken nothing. */
  const assertRefused = (answer: Refused, what: string, statuses = [400, 402, 409]): void => {
    expect(statuses, `${what}: ${answer.text}`).to.include(answer.status);
    expect(answer.body.code, what).to.match(/^payment_/);
    expect(answer.text, what).not.to.contain(paid.chain.url);
    expect(answer.text, what).not.to.match(/viem|revert|0x[0-9a-f]{60,}|jsonrpc|[Cc]alldata/);
  };

  /** Another party uses an authorization on the chain. */
  const useOnChain = async ({ authorization, payload }: Awaited<ReturnType<typeof signed>>) => {
    const { from, to, value, validAfter, validBefore, nonce } = authorization;
    const hash = await paid.chain.client.writeContract({
      ...paid.chain.usdc,
      functionName: 'transferWithAuthorization',
      args: [from, to, value, validAfter, validBefore, nonce, payload.signature],
    });
    await paid.chain.client.waitForTransactionReceipt({ hash });
  };

  const signIn = async (signer: LocalAccount) => {
    const { body } = await call<{ sign_in: SignInChallenge }>('GET', '/x402');
    return { 'SIGN-IN-WITH-X': await signInHeader(signer, body.sign_in) };
  };
  const balanceOf = async (signer: LocalAccount): Promise<number> => {
    const headers = await signIn(signer);
    return (await call<BalanceJson>('GET', '/api/balance', undefined, { headers })).body.balance;
  };

  it('refuses headers of every malformed kind, on writes and on reads', async () => {
    const signer = await newPayer();
    const requirements = await demand();
    const { payload } = await signed(signer, requirements);
    const good = { x402Version: 2, accepted: requirements, payload };
    const { signature, authorization } = payload;
    const withField = (field: string, value: unknown) => ({
      ...good,
      payload: { signature, authorization: { ...authorization, [field]: value } },
    });
    const odd: unknown[] = [
      ...[{}, null, [], [good], 'text', 7, true, { x402Version: 2 }],
      ...[3, '2', null, 1.5, [2]].map((x402Version) => ({ ...good, x402Version })),
      ...[null, [], 'x', 7, undefined].map((accepted) => ({ ...good, accepted })),
      ...[null, [], 'x', 7, {}, { signature }, { authorization }].map((it) => ({
        ...good,
        payload: it,
      })),
      ...['0x', '0x00', 'abc', null, 7, `0x${'00'.repeat(64)}`, `0x${'zz'.repeat(65)}`].map(
        (it) => ({
          ...good,
          payload: { signature: it, authorization },
        }),
      ),
      ...['from', 'to'].flatMap((field) =>
        ['', '0x', null, 7, [], '0x12', payTo.slice(2)].map((it) => withField(field, it)),
      ),
      ...['value', 'validAfter', 'validBefore'].flatMap((field) =>
        [null, 7, -1, '-1', '1e3', '1.5', '0x10', ' 1', '', [], {}, '9'.repeat(79)].map((it) =>
          withField(field, it),
        ),
      ),
      withField('value', String(2n ** 256n)),
      withField('validBefore', String(2n ** 256n)),
      ...['0x', null, 1, '0x12', `${'0'.repeat(64)}`].map((it) => withField('nonce', it)),
      { ...good, payload: { signature, permit2Authorization: authorization } },
    ];
    const texts = [
      ...['not base64!', '%%%', 'e30', '====', '{}', 'a', '-_-_', 'A'.repeat(12_001)],
      ...odd.map(encoded),
      // Prototype keys: neither a payment, nor anything that stays.
      Buffer.from('{"__proto__":{"x402Version":2},"constructor":{"prototype":{}}}').toString(
        'base64',
      ),
      Buffer.from(
        `{"x402Version":2,"accepted":{"__proto__":${JSON.stringify(requirements)}},"payload":${JSON.stringify(payload)}}`,
      ).toString('base64'),
    ];
    for (const [at, text] of texts.entries()) {
      const what = `header ${at} ${text.slice(0, 40)}`;
      assertRefused(await send({ 'PAYMENT-SIGNATURE': text }), what, [400, 402]);
      const read = await call<{ code: string }>('GET', '/api/balance', undefined, {
        headers: { 'X-PAYMENT': text },
      });
      assertRefused(read, `${what}, on a read`, [400, 402]);
    }
    expect(({} as { x402Version?: number }).x402Version).to.equal(undefined);
    expect(await receivedFrom(signer)).to.have.length(0);
  }).timeout(180_000);

  it('refuses what is well formed and is not what was asked for', async () => {
    const signer = await newPayer();
    const stranger = await newPayer();
    const requirements = await demand();
    const { amount } = requirements;
    const v2 = (payload: unknown, accepted: Body = requirements) => ({
      x402Version: 2,
      accepted,
      payload,
    });
    const now = BigInt(Math.floor(Date.now() / 1_000));
    const changed = async (changes: Parameters<typeof signed>[2]) =>
      v2((await signed(signer, requirements, changes)).payload);
    const { payload } = await signed(signer, requirements);
    const signature = payload.signature as Hex;
    const elsewhere = { ...requirements, payTo: stranger.address };
    const cases: Record<string, unknown> = {
      'a smaller value': await changed({ value: BigInt(String(amount)) - 1n }),
      'a greater value': await changed({ value: BigInt(String(amount)) + 1n }),
      'a value of nothing': await changed({ value: 0n }),
      'a value of 2^256 - 1': await changed({ value: 2n ** 256n - 1n }),
      'another recipient': await changed({ to: stranger.address }),
      'an end that has passed': await changed({ validBefore: now - 1n }),
      'an end within seconds': await changed({ validBefore: now + 3n }),
      'a beginning in the future': await changed({ validAfter: now + 3_600n }),
      'another amount accepted': v2(payload, { ...requirements, amount: '1' }),
      'a number as amount': v2(payload, { ...requirements, amount: Number(amount) }),
      'another asset': v2(payload, { ...requirements, asset: stranger.address }),
      'another network': v2(payload, { ...requirements, network: 'eip155:8453' }),
      'another scheme': v2(payload, { ...requirements, scheme: 'upto' }),
      'another recipient accepted': v2(payload, elsewhere),
      'a signature over another recipient': v2((await signed(signer, elsewhere)).payload),
      "another one's signature": v2({
        ...payload,
        signature: (await signed(stranger, requirements)).payload.signature,
      }),
      "another one's name": v2({
        ...payload,
        authorization: { ...payload.authorization, from: stranger.address },
      }),
      'a signature of zeros': v2({ ...payload, signature: `0x${'00'.repeat(65)}` }),
      'a signature wrapped for a wallet that is not there': v2({
        ...payload,
        signature: wrapped6492(signature),
      }),
      'a signature with a tail': v2({ ...payload, signature: `${signature}00` }),
      'a signature with a high s': v2({ ...payload, signature: withHighS(signature) }),
      'version 1 for another network': {
        x402Version: 1,
        scheme: 'exact',
        network: 'base',
        payload,
      },
    };
    for (const [what, payment] of Object.entries(cases)) {
      assertRefused(await send({ 'PAYMENT-SIGNATURE': encoded(payment) }), what);
    }
    // The attempts did not count against the payment itself, which still pays.
    const sent = await send({ 'PAYMENT-SIGNATURE': encoded(v2(payload)) });
    expect(sent.status, sent.text).to.equal(201);
    expect(await receivedFrom(signer)).to.have.length(1);
  });

  it('refuses a signature for another token, chain or version', async () => {
    const signer = await newPayer();
    const requirements = await demand();
    const { authorization, payload } = await signed(signer, requirements);
    for (const change of [{ name: 'USD Coin' }, { version: '1' }, { chainId: 8453 }]) {
      const data = authorizationData(authorization);
      const signature = await signer.signTypedData({
        ...data,
        domain: { ...data.domain, ...change },
      });
      const header = encoded({
        x402Version: 2,
        accepted: requirements,
        payload: { ...payload, signature },
      });
      assertRefused(await send({ 'PAYMENT-SIGNATURE': header }), JSON.stringify(change), [402]);
    }
    expect(await receivedFrom(signer)).to.have.length(0);
  });

  it('takes the same authorization in capitals and small letters as the same one', async () => {
    const signer = await newPayer();
    const requirements = await demand();
    const { payload } = await signed(signer, requirements);
    const upper = (text: string | undefined): string => `0x${String(text).slice(2).toUpperCase()}`;
    const { authorization } = payload;
    const capitals = {
      signature: upper(payload.signature),
      authorization: {
        ...authorization,
        from: upper(authorization.from),
        to: upper(authorization.to),
        nonce: upper(authorization.nonce),
      },
    };
    const answers = await Promise.all(
      [payload, capitals].map((one) =>
        send({
          'PAYMENT-SIGNATURE': encoded({ x402Version: 2, accepted: requirements, payload: one }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201]);
    expect(new Set(answers.map(({ body }) => body.letter_id)).size).to.equal(1);
    expect(await receivedFrom(signer)).to.have.length(1);
  });

  it('refuses two payments in one request, and takes one that is sent twice', async () => {
    const signer = await newPayer();
    const requirements = await demand();
    const [one, two] = [
      await paymentHeader(signer, requirements),
      await paymentHeader(signer, requirements),
    ];
    assertRefused(await send({ 'PAYMENT-SIGNATURE': one, 'X-PAYMENT': two }), 'two', [400]);
    expect(await receivedFrom(signer)).to.have.length(0);
    const sent = await send({ 'PAYMENT-SIGNATURE': one, 'X-PAYMENT': one });
    expect(sent.status, sent.text).to.equal(201);
  });

  it('refuses a wallet without funds, and takes its payment once it has them', async () => {
    const { store } = paid.service.service.foundation.storage;
    const claims = async (): Promise<number> =>
      (await store.readAll({ after: 0n, limit: 5_000 })).filter(
        ({ type }) => type === 'PaymentClaimed',
      ).length;
    const signer = await paid.chain.newPayer(0n);
    const header = await paymentHeader(signer, await demand());
    const claimsBefore = await claims();
    const answer = await send({ 'PAYMENT-SIGNATURE': header });
    assertRefused(answer, 'no funds', [402]);
    expect(answer.body).to.include({ payment_fault: 'funds' });
    expect(await claims(), 'what cannot be paid is not on record').to.equal(claimsBefore);
    const { chain } = paid;
    const hash = await chain.client.writeContract({
      ...chain.usdc,
      functionName: 'mint',
      args: [signer.address, 50_000_000n],
    });
    await chain.client.waitForTransactionReceipt({ hash });
    const sent = await send({ 'PAYMENT-SIGNATURE': header });
    expect(sent.status, sent.text).to.equal(201);
    expect(await claims()).to.equal(claimsBefore + 1);
  });

  it('identifies nobody by an authorization that is public, and credits its payer', async () => {
    const signer = await newPayer();
    const read = (header: string) =>
      call<{ code: string }>('GET', '/api/balance', undefined, {
        headers: { 'PAYMENT-SIGNATURE': header },
      });
    const requirements = requirementsIn(await call('GET', '/api/balance'));
    const own = await paymentHeader(signer, requirements);
    expect((await read(own)).status).to.equal(200);
    assertRefused(await read(own), 'presented again', [409]);
    const foreign = await signed(signer, requirements);
    await useOnChain(foreign);
    const header = encoded({ x402Version: 2, accepted: requirements, payload: foreign.payload });
    for (const what of ['used elsewhere', 'used elsewhere, again']) {
      assertRefused(await read(header), what, [409]);
    }
    // A refusal names no position in the log to wait for.
    await until(async () => (await balanceOf(signer)) >= 0.02);
    expect(await balanceOf(signer)).to.equal(0.02);
  });

  it('buys nobody a letter with what was used before, and credits its payer once', async () => {
    const signer = await newPayer();
    const requirements = await demand();
    const payment = await signed(signer, requirements);
    await useOnChain(payment);
    const header = encoded({ x402Version: 2, accepted: requirements, payload: payment.payload });
    for (const _ of [1, 2]) {
      assertRefused(await send({ 'PAYMENT-SIGNATURE': header }), 'used before', [409]);
    }
    const thief = await register('live');
    const stolen = await thief.post<Sent & { code: string }>('/api/send', letter, {
      'PAYMENT-SIGNATURE': header,
    });
    assertRefused(stolen, 'with the key of another', [409]);
    expect((await thief.balance()).balance).to.equal(0);
    const credited = Number(requirements.amount) / 1e6;
    await until(async () => (await balanceOf(signer)) >= credited);
    expect(await balanceOf(signer)).to.equal(credited);
  });

  it('buys nothing again where the log was lost, although this service sent it', async () => {
    const signer = await newPayer();
    const header = await paymentHeader(signer, await demand());
    const headers = { 'PAYMENT-SIGNATURE': header };
    expect((await send(headers)).status).to.equal(201);
    const other = await startTestService({
      ...(await x402Settings(paid.chain)),
      X402_SIGNER_KEY: signerKey,
    });
    try {
      const again = await clientOf(() => other).call<Sent & { code: string }>(
        ...(['POST', '/api/send', letter, { headers }] as const),
      );
      assertRefused(again, 'sent by us before', [409]);
    } finally {
      await other.stop();
    }
  });

  it('refuses a payment that its payer has cancelled on the chain', async () => {
    const signer = await newPayer();
    const { chain } = paid;
    const payment = await signed(signer, await demand());
    const { nonce } = payment.authorization;
    const { domain } = authorizationData(payment.authorization);
    const signature = await signer.signTypedData({
      domain,
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: signer.address, nonce },
    });
    const hash = await chain.client.writeContract({
      ...chain.usdc,
      functionName: 'cancelAuthorization',
      args: [
        ...[signer.address, nonce, Number(slice(signature, 64))],
        ...[slice(signature, 0, 32), slice(signature, 32, 64)],
      ],
    });
    await chain.client.waitForTransactionReceipt({ hash });
    const header = encoded({ x402Version: 2, accepted: await demand(), payload: payment.payload });
    for (const _ of [1, 2]) {
      const answer = await send({ 'PAYMENT-SIGNATURE': header });
      assertRefused(answer, 'cancelled', [402]);
      expect(answer.body).to.include({ payment_fault: 'used' });
    }
    expect(await receivedFrom(signer)).to.have.length(0);
  });

  it('takes the payment of a wallet that is a contract', async () => {
    const signer = await newPayer();
    const { chain } = paid;
    const wallet = { ...signer, address: '0x1271000000000000000000000000000000001271' } as const;
    await chain.client.setCode({ address: wallet.address, bytecode: credulousWallet });
    const hash = await chain.client.writeContract({
      ...chain.usdc,
      functionName: 'mint',
      args: [wallet.address, 50_000_000n],
    });
    await chain.client.waitForTransactionReceipt({ hash });
    const requirements = await demand();
    const sent = await send({ 'PAYMENT-SIGNATURE': await paymentHeader(wallet, requirements) });
    expect(sent.status, sent.text).to.equal(201);
    expect(await receivedFrom(wallet)).to.have.length(1);
  });

  it('says what a wallet needs whose signature the token cannot check', async () => {
    const signer = await newPayer();
    const requirements = await demand();
    const undeployed = {
      ...signer,
      address: '0x6492000000000000000000000000000000006492',
    } as const;
    const payment = await signed(undeployed, requirements);
    const payload = { ...payment.payload, signature: wrapped6492(payment.payload.signature) };
    const delegating = await newPayer();
    // EIP-7702: it delegates to an address without code.
    const code = concatHex(['0xef0100', '0x7702000000000000000000000000000000007702']);
    await paid.chain.client.setCode({ address: delegating.address, bytecode: code });
    for (const [what, header] of [
      ['undeployed', encoded({ x402Version: 2, accepted: requirements, payload })],
      ['delegating', await paymentHeader(delegating, requirements)],
    ] as const) {
      const answer = await send({ 'PAYMENT-SIGNATURE': header });
      assertRefused(answer, what, [402]);
      expect(answer.body, what).to.include({ payment_fault: 'signature' });
      expect(answer.text, what).to.match(/must be deployed .*otherwise pay from another wallet/);
    }
    expect(await receivedFrom(delegating)).to.have.length(0);
  });

  it('sends the letters of sixteen wallets that pay at once', async () => {
    const payers: LocalAccount[] = [];
    while (payers.length < 16) payers.push(await newPayer());
    const requirements = await demand();
    const headers = await Promise.all(payers.map((payer) => paymentHeader(payer, requirements)));
    const answers = await Promise.all(
      headers.map((header) => send({ 'PAYMENT-SIGNATURE': header })),
    );
    expect(answers.map(({ status, text }) => (status === 201 ? 201 : text))).to.deep.equal(
      Array.from({ length: 16 }, () => 201),
    );
    expect(new Set(answers.map(({ body }) => body.letter_id)).size).to.equal(16);
    for (const payer of payers) expect(await receivedFrom(payer)).to.have.length(1);
  });
});
