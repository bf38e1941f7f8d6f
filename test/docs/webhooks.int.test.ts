import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { webhookPublicKey } from '../../identity/service-document.ts';
import { newWebhookSecret, signWebhook } from '../../infra/signing/standard-webhooks.ts';
import { attemptDelaysMs } from '../../reactors/delivery-schedule.ts';
import { findVenv } from '../clients-python/venv.ts';
import { skip } from '../support/skip.ts';
import { fencesOf, guide } from './guides.ts';

const text = guide('docs/webhooks.md');
const snippet = (language: string, mark = ''): string =>
  fencesOf(text).find((fence) => fence.language === language && fence.mark === mark)?.text ?? '';

const nowS = 1_800_000_000;
const secrets = [newWebhookSecret(), newWebhookSecret()];
const body = '{"type":"letter.posted","data":{"city":"Köln"}}';
const headers = signWebhook({ id: 'ntf_1', timestampS: nowS, body, secrets });

const cases = [
  ...secrets.map((secret) => ({ headers, body, secret, nowS, valid: true })),
  { headers, body, secret: newWebhookSecret(), nowS, valid: false },
  { headers, body: `${body} `, secret: secrets[0], nowS, valid: false },
  { headers, body, secret: secrets[0], nowS: nowS + 301, valid: false },
  { headers: {}, body, secret: secrets[0], nowS, valid: false },
  {
    headers: { ...headers, 'webhook-signature': 'v1,AAAA v2' },
    body,
    secret: secrets[0],
    nowS,
    valid: false,
  },
  // Python reads the first as a digit and not as a number, and takes no number as long as the second.
  ...['²', '9'.repeat(5_000)].map((timestamp) => ({
    headers: { ...headers, 'webhook-timestamp': timestamp },
    body,
    secret: secrets[0],
    nowS,
    valid: false,
  })),
];

const [known, fresh, other] = [1, 2, 3].map((n) => ed25519FromSeed(Buffer.alloc(32, n)));
const audited = signWebhook({
  id: 'ntf_1',
  timestampS: nowS,
  body,
  secrets,
  ed25519: [known, fresh].map((key) => (data) => key?.sign(data) ?? Buffer.alloc(0)),
});
const whpk = (key: typeof known): string => webhookPublicKey({ publicKey: key?.multikey ?? '' });
const auditCases = [
  { headers: audited, body, keys: [whpk(known)], nowS, valid: true },
  { headers: audited, body, keys: [whpk(fresh)], nowS, valid: true },
  { headers: audited, body, keys: [whpk(other), whpk(fresh)], nowS, valid: true },
  { headers: audited, body, keys: [whpk(other)], nowS, valid: false },
  { headers: audited, body: `${body} `, keys: [whpk(known)], nowS, valid: false },
  { headers: audited, body, keys: [whpk(known)], nowS: nowS - 301, valid: false },
  { headers, body, keys: [whpk(known)], nowS, valid: false },
];

describe('the guide to webhooks', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-guide-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('verifies in Node what we sign, and nothing else', async () => {
    const file = join(folder, 'verify.mjs');
    await writeFile(file, snippet('js'));
    const { verify } = await import(file);
    const found = cases.map((one) => verify(one.headers, one.body, one.secret, one.nowS));
    expect(found).to.deep.equal(cases.map(({ valid }) => valid));
  });

  it('verifies in Python what we sign, and nothing else', async function () {
    if (spawnSync('python3', ['--version']).status !== 0) skip(this, 'there is no Python');
    const program = `${snippet('python')}
import json, sys
print(json.dumps([verify(c["headers"], c["body"].encode(), c["secret"], c["nowS"])
                  for c in json.loads(sys.argv[1])]))`;
    const file = join(folder, 'verify.py');
    await writeFile(file, program);
    const { stdout } = await promisify(execFile)('python3', [file, JSON.stringify(cases)]);
    expect(JSON.parse(stdout)).to.deep.equal(cases.map(({ valid }) => valid));
  });

  it('verifies in Node the signatures of audit webhooks, and nothing else', async () => {
    const file = join(folder, 'verify-audit.mjs');
    await writeFile(file, snippet('js', 'audit'));
    const { verifyAudit } = await import(file);
    const found = auditCases.map((one) => verifyAudit(one.headers, one.body, one.keys, one.nowS));
    expect(found).to.deep.equal(auditCases.map(({ valid }) => valid));
  });

  it('verifies in Python the signatures of audit webhooks, and nothing else', async function () {
    // The machine's own Python has no cryptography.
    const venv = await findVenv();
    if (venv === undefined)
      return skip(this, 'there is no Python with cryptography; .ci/run fetches it');
    const program = `${snippet('python', 'audit')}
import json, sys
print(json.dumps([verify_audit(c["headers"], c["body"].encode(), c["keys"], c["nowS"])
                  for c in json.loads(sys.argv[1])]))`;
    const file = join(folder, 'verify_audit.py');
    await writeFile(file, program);
    const { stdout } = await promisify(execFile)(join(venv, 'bin', 'python'), [
      file,
      JSON.stringify(auditCases),
    ]);
    expect(JSON.parse(stdout)).to.deep.equal(auditCases.map(({ valid }) => valid));
  });

  it('lists the schedule of attempts', () => {
    const units: Record<string, number> = { seconds: 1, minutes: 60, hours: 3_600 };
    const rows = [...text.matchAll(/^\| (\d+) \| (?:at once|(\d+) (\w+)) \|$/gm)];
    const listed = rows.map(([, , count = '0', unit = '']) => Number(count) * (units[unit] ?? 0));
    expect(listed).to.deep.equal(attemptDelaysMs.map((delayMs) => delayMs / 1_000));
  });
});
