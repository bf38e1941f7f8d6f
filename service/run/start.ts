import { StartRefused } from '../../contract/start-refused.ts';
import { listen } from '../../http/listen.ts';
import { createStartingApp } from '../../http/starting-app.ts';
import { createLogger } from '../../infra/log.ts';
import { sampleRecipient } from '../../postal/sample-recipient.ts';
import { countriesOf } from '../../postal/services.ts';
import { ConfigError, describeConfig, readConfig } from '../config/config.ts';
import { startBackground } from './background.ts';
import { startService } from './compose.ts';
import { explainStart } from './explain-start.ts';
import { giveBackMemory } from './give-back-memory.ts';
import { outwaitLocks } from './outwait-locks.ts';
import { startingHealth } from './system-operations.ts';

const readOrExit = () => {
  try {
    return readConfig(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
};

const config = readOrExit();
const log = createLogger({ level: config.logLevel });
const baseUrl = config.baseUrl ?? `http://localhost:${config.port}`;

/** A stop cuts requests that take longer, because the parts behind them must end in time, too. */
const requestsStopMs = 5_000;
/** A start on the database of `DATABASE_URL` is not waited for longer than this: nothing of it outlives the process. */
const startStopMs = 3_000;
/** For this long an outdated process answers 503, so that load balancers that ask `/ready` turn to others. */
const outdatedMs = 3_000;

/** Why a port that cannot be bound cannot; other errors as they are. */
const portRefused = (error: NodeJS.ErrnoException): Error => {
  if (error.syscall !== 'listen') return error;
  const taken = error.code === 'EADDRINUSE';
  const why = taken
    ? 'is in use; stop what runs there'
    : `cannot be opened (${error.code}); free it`;
  return new StartRefused(`PORT ${config.port} ${why}, or set another PORT.`);
};

const stopping = new AbortController();

const startOn = async (app: ReturnType<typeof createStartingApp>) => {
  const roles = config.roles.filter((role) => role === 'projections' || role === 'reactors');
  const apart = config.backgroundProcess && roles.length > 0;
  const { databaseConnections: connections } = config;
  const begin = () =>
    startService(config, log, baseUrl, {
      stopping: stopping.signal,
      ...(apart
        ? { background: (url: string) => startBackground({ url, roles, connections, log }) }
        : {}),
    });
  const { databaseUrl: url } = config;
  // Nobody else works on a database that the service runs itself.
  const service = await (url === undefined
    ? begin()
    : outwaitLocks({ url, log, stopping: stopping.signal }, begin));
  app.handOver(service.app);
  return service;
};

/** Listens before anything is opened: a second start by mistake touches nothing, and probes get answers. */
const start = async () => {
  const { requestTimeoutMs } = config.limits;
  const app = createStartingApp(baseUrl, () => startingHealth(Date.now()));
  // Without a host, the server listens on all interfaces, including IPv6 if the machine has it.
  const listening = await listen(app, config.port, {
    requestTimeoutMs,
    baseUrl,
    stopMs: requestsStopMs,
  });
  try {
    return { service: await startOn(app), listening };
  } catch (error) {
    await listening.stop();
    throw error;
  }
};

const starting = start().catch((failure: Error) => {
  // The start has closed what it had opened. Nobody waits for a start that a signal stopped, even if it failed meanwhile.
  if (stopping.signal.aborted) return process.exit(0);
  const error = explainStart(portRefused(failure), config) as Error;
  if (!(error instanceof StartRefused)) {
    log.error({ err: error.stack }, 'the service did not start');
  }
  console.error(error.message);
  return process.exit(1);
});

const stop = async (why: Record<string, string>, exitCode = 0): Promise<void> => {
  if (stopping.signal.aborted) return;
  stopping.abort();
  log.info(why, 'stopping');
  setTimeout(() => process.exit(1), 10_000).unref();
  // Told to stop while it starts, it stops between two steps: so PostgreSQL is not left behind.
  const abandoning =
    config.databaseUrl !== undefined && setTimeout(() => process.exit(exitCode), startStopMs);
  const { service, listening } = await starting;
  if (abandoning) clearTimeout(abandoning);
  service.endReactions();
  await listening.stop();
  await service.stop();
  process.exit(exitCode);
};
process.on('SIGTERM', () => void stop({ signal: 'SIGTERM' }));
process.on('SIGINT', () => void stop({ signal: 'SIGINT' }));

const { service } = await starting;
service.started();
// An exit code of failure: a supervisor starts what is installed by then.
void service.outdated.then((reason) =>
  setTimeout(() => void stop({ reason }, 1), outdatedMs).unref(),
);
giveBackMemory();

/** With closed registration, there is no account that everybody can try. */
const trial = config.registrationClosed
  ? []
  : [
      'Try it: register a test account (test money, nothing is printed), then send a letter:',
      '',
      `  KEY=$(curl -s ${baseUrl}/auth/register -H 'Content-Type: application/json' \\`,
      `    -d '{"email":"you+'$RANDOM$RANDOM'@example.com","mode":"test"}' | sed 's/.*"api_key":"\\([^"]*\\)".*/\\1/')`,
      `  curl -s ${baseUrl}/api/send -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\`,
      `    -d '{${JSON.stringify(sampleRecipient(countriesOf(config.prices.services))).slice(1, -1)},`,
      `         "from_name":"Max Beispiel","from_line1":"Hauptstr. 1","from_city":"Hamburg","from_postal_code":"20095","from_country":"DE",`,
      `         "content":"Hello by post."}'`,
      '',
    ];

console.log(
  [
    '',
    `letters listens on ${baseUrl}  (docs: ${baseUrl}/docs)`,
    ...describeConfig(config).map((line) => `  ${line}`),
    '',
    ...trial,
  ].join('\n'),
);
