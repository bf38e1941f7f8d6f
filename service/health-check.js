/**
 * The health check of the image, which has no curl. Exit code 0: the service is ready for requests. JavaScript,
 * because it runs every half a minute: node would load its compiler for TypeScript each time.
 */
import { get } from 'node:http';

const timeoutMs = 4_000;

const end = (exitCode, reason) => {
  console.log(reason);
  process.exit(exitCode);
};

const port = Number(process.env.PORT?.trim() || 3_000);
const request = get({ host: '127.0.0.1', port, path: '/ready', timeout: timeoutMs });
request.on('response', ({ statusCode }) =>
  end(statusCode === 200 ? 0 : 1, `/ready: ${statusCode}`),
);
request.on('timeout', () => end(1, `/ready: no answer within ${timeoutMs} ms`));
request.on('error', ({ message }) => end(1, `/ready: ${message}`));
