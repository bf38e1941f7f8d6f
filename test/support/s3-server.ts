/**
 * A real S3-compatible server for tests, `moto` from PyPI. It checks signatures (by botocore), so a
 * request that is signed wrongly is refused as Amazon would. Needs python3 and, the first time, the
 * network; the installation is kept in the temporary folder for the next run. As a program, with `--fetch`,
 * it only installs the server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { freePort } from './free-port.ts';
import { makeEnvironment } from './python-environment.ts';
import { keptFolder } from './scratch.ts';

const motoVersion = '5.2.5';
/** Its extra `server` brings what its other services need as well, three times as much. */
const packages = [`moto[s3]==${motoVersion}`, 'flask==3.1.3', 'flask-cors==6.0.5'];
const cache = join(keptFolder, `letters-test-moto-${userInfo().uid}`);
const installed = join(cache, `${motoVersion}-s3`);

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Installs in a folder next to the final one and moves it there, so that two runs at once do not meet. */
const install = async (): Promise<void> => {
  if (await isThere(installed)) return;
  await mkdir(cache, { recursive: true, mode: 0o700 });
  if ((await stat(cache)).uid !== userInfo().uid) throw new Error(`${cache} is somebody else's`);
  const draft = await mkdtemp(join(cache, 'new-'));
  try {
    await makeEnvironment(draft, packages);
    await rename(draft, installed);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await isThere(installed))) throw error;
  }
};

const untilItAnswers = async (url: string, child: ChildProcess): Promise<void> => {
  for (;;) {
    if (child.exitCode !== null) throw new Error('the S3 server ended at once');
    const answers = await fetch(`${url}/moto-api/data.json`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (answers) return;
    await wait(50);
  }
};

const allowAll = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }],
});

/** Makes a user who may do everything; the server lets these first three calls pass unsigned. */
const makeUser = async (endpoint: string) => {
  const client = new AwsClient({
    accessKeyId: 'first',
    secretAccessKey: 'first',
    service: 'iam',
    region: 'us-east-1',
  });
  const call = async (parameters: Record<string, string>): Promise<string> => {
    const body = new URLSearchParams({ Version: '2010-05-08', UserName: 'letters', ...parameters });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await client.fetch(endpoint, { method: 'POST', headers, body: String(body) });
    if (!answer.ok) throw new Error(`${parameters.Action}: ${answer.status}`);
    return answer.text();
  };
  await call({ Action: 'CreateUser' });
  await call({ Action: 'PutUserPolicy', PolicyName: 'all', PolicyDocument: allowAll });
  const xml = await call({ Action: 'CreateAccessKey' });
  return {
    accessKeyId: /<AccessKeyId>(.*?)</.exec(xml)?.[1] ?? '',
    secretAccessKey: /<SecretAccessKey>(.*?)</.exec(xml)?.[1] ?? '',
  };
};

export type S3Server = {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  createBucket(name: string): Promise<void>;
  stop(): Promise<void>;
};

/** @throws where python3 is missing or the package cannot be installed */
export async function startS3Server(): Promise<S3Server> {
  await install();
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const python = join(installed, 'bin', 'python');
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], {
    env: { ...process.env, INITIAL_NO_AUTH_ACTION_COUNT: '3' },
    stdio: 'ignore',
  });
  const ended = new Promise((done) => child.once('exit', done).once('error', done));
  await untilItAnswers(endpoint, child);
  const user = await makeUser(endpoint);
  const client = new AwsClient({ ...user, service: 's3', region: 'us-east-1' });
  return {
    endpoint,
    ...user,
    async createBucket(name) {
      const answer = await client.fetch(`${endpoint}/${name}`, { method: 'PUT' });
      if (!answer.ok) throw new Error(`no bucket ${name}: ${answer.status}`);
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

if (process.argv.includes('--fetch')) await install();
