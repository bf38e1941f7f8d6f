/**
 * A real Kafka broker of one node (KRaft) on the loopback address, from the jars of Maven Central. It needs
 * Java 17 and, the first time, Maven and the network; the jars are kept in the user's cache folder.
 *
 * As a program: `npm run kafka` starts one on port 9092 until Ctrl+C, its data in `data/kafka`;
 * `--fetch` only gets the jars.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';
import { injected } from './injected.ts';
import { testServerTls } from './tls.ts';

const version = '4.1.0';
const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
const jars = join(cache, 'letters', `kafka-${version}`);

const run = promisify(execFile);
const has = (program: string): boolean =>
  spawnSync(program, ['-version'], { stdio: 'ignore' }).status === 0;

const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>letters</groupId><artifactId>kafka-broker</artifactId><version>1</version>
  <packaging>pom</packaging>
  <dependencies><dependency>
    <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${version}</version>
  </dependency></dependencies>
</project>
`;
const copy = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';

const fetchJars = async (): Promise<void> => {
  if (existsSync(jars)) return;
  await mkdir(join(cache, 'letters'), { recursive: true });
  const folder = await mkdtemp(join(cache, 'letters', 'fetching-'));
  try {
    await writeFile(join(folder, 'pom.xml'), project);
    const args = ['-q', '-B', copy, '-DoutputDirectory=jars', '-DincludeScope=runtime'];
    await run('mvn', args, { cwd: folder, timeout: 300_000 });
    // Another process may have been faster: its jars are the same.
    await rename(join(folder, 'jars'), jars).catch((error: unknown) => {
      if (!existsSync(jars)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Gets the jars where they are missing. Resolves to why there can be no broker here, if so. */
export const prepareKafka = async (): Promise<string | undefined> => {
  if (!has('java')) return 'Java is missing';
  if (existsSync(jars)) return undefined;
  if (!has('mvn')) return 'Maven is missing';
  return fetchJars().then(
    () => undefined,
    (error: Error) => `Maven could not fetch Kafka: ${error.message.split('\n')[0]}`,
  );
};

type KafkaOptions = {
  /** Where its log lies; absent: a folder that goes with it. */
  dataDir?: string;
  /** Absent: one that is free. */
  port?: number;
  /** TLS with the certificate of the tests and SASL with these credentials. */
  secured?: { mechanism: 'PLAIN' | 'SCRAM-SHA-512'; username: string; password: string };
  /** More lines of `server.properties`. */
  properties?: Record<string, string>;
};

const oneLine = (pem: string): string => pem.trim().replaceAll('\n', ' \\\n');

const securityOf = ({ secured }: KafkaOptions): Record<string, string> => {
  if (!secured) return {};
  const { mechanism, username, password } = secured;
  const listener = `listener.name.client.${mechanism.toLowerCase()}.sasl.jaas.config`;
  const jaas =
    mechanism === 'PLAIN'
      ? `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}="${password}";`
      : 'org.apache.kafka.common.security.scram.ScramLoginModule required;';
  return {
    'sasl.enabled.mechanisms': mechanism,
    [listener]: jaas,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.key': oneLine(testServerTls.key),
    'ssl.keystore.certificate.chain': oneLine(testServerTls.cert),
  };
};

const propertiesOf = (port: number, controller: number, folder: string, options: KafkaOptions) => ({
  'process.roles': 'broker,controller',
  'node.id': '1',
  'controller.quorum.bootstrap.servers': `127.0.0.1:${controller}`,
  'controller.listener.names': 'CONTROLLER',
  'inter.broker.listener.name': 'INTERNAL',
  listeners: `CLIENT://127.0.0.1:${port},INTERNAL://127.0.0.1:0,CONTROLLER://127.0.0.1:${controller}`,
  'advertised.listeners': `CLIENT://127.0.0.1:${port},INTERNAL://127.0.0.1:0,CONTROLLER://127.0.0.1:${controller}`,
  'listener.security.protocol.map': `CLIENT:${options.secured ? 'SASL_SSL' : 'PLAINTEXT'},INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT`,
  'log.dirs': join(folder, 'log'),
  'offsets.topic.replication.factor': '1',
  'offsets.topic.num.partitions': '1',
  'transaction.state.log.replication.factor': '1',
  'transaction.state.log.min.isr': '1',
  'group.initial.rebalance.delay.ms': '0',
  // Killed and started again, it is let in sooner than after the usual 9 s.
  'broker.session.timeout.ms': '2000',
  'broker.heartbeat.interval.ms': '500',
  'auto.create.topics.enable': 'false',
  ...securityOf(options),
  ...options.properties,
});

const java = (mainClass: string, args: string[]): string[] => [
  // Lives for seconds mostly: what it saves by compiling twice it would not earn.
  ...['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
  ...['-cp', join(jars, '*'), mainClass, ...args],
];

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a broker; its jars must be there. Resolves when it takes connections. */
export const startKafka = async (options: KafkaOptions = {}) => {
  const folder = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'letters-kafka-')));
  const port = options.port ?? (await freePort());
  const config = join(folder, 'server.properties');
  const properties = propertiesOf(port, await freePort(), folder, options);
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  await mkdir(folder, { recursive: true });
  await writeFile(config, lines.join(''));
  const { secured } = options;
  const scram = secured?.mechanism.startsWith('SCRAM')
    ? ['-S', `${secured.mechanism}=[name=${secured.username},password=${secured.password}]`]
    : [];
  const format = ['format', '-t', 'bGV0dGVycy1rYWZrYS10ZQ', '-c', config, '--ignore-formatted'];
  const standalone = ['--standalone', ...scram];
  await run('java', java('kafka.tools.StorageTool', [...format, ...standalone]));

  let child: ChildProcess;
  let output = '';
  const collect = (chunk: Buffer): void => {
    output = `${output}${chunk}`.slice(-20_000);
  };

  const start = async (): Promise<void> => {
    child = spawn('java', java('kafka.Kafka', [config]), { stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    const deadline = Date.now() + 60_000;
    while (!(await answers(port))) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`Kafka did not start\n${output}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    running.delete(child);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  };

  await start();
  return {
    brokers: [`127.0.0.1:${port}`],
    port,
    /** kill -9. */
    kill: () => end('SIGKILL'),
    /** Starts again what was killed, on the same log. */
    async start(): Promise<void> {
      injected('Kafka restarted');
      await start();
    },
    async stop(): Promise<void> {
      await end('SIGKILL');
      if (options.dataDir === undefined) {
        await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
      }
    },
  };
};

export type KafkaBroker = Awaited<ReturnType<typeof startKafka>>;

const main = async (): Promise<void> => {
  const missing = await prepareKafka();
  if (missing !== undefined) {
    console.error(`There can be no Kafka broker here: ${missing}.`);
    process.exitCode = 1;
    return;
  }
  if (process.argv.includes('--fetch')) {
    console.log(`${version}, ${(await readdir(jars)).length} jars`);
    return;
  }
  const broker = await startKafka({ port: 9_092, dataDir: join('data', 'kafka') });
  console.log(`Kafka ${version} runs until Ctrl+C. KAFKA_BROKERS=${broker.brokers.join()}`);
  process.once('SIGINT', () => void broker.stop());
  process.once('SIGTERM', () => void broker.stop());
};

if (import.meta.main) await main();
