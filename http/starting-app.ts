/** Answers while the service starts: the port is open, and nothing is served yet. */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Served } from './listen.ts';
import { answerRefused, notStarted, pathOf } from './refuse-unread.ts';

type StartingApp = Served & {
  /** Serves everything with `app` from now on. */
  handOver(app: Served): void;
};

const answerAlive = (answer: ServerResponse, health: object): void => {
  answer.writeHead(200, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  answer.end(JSON.stringify(health));
};

/**
 * Refuses every request with 503 and Retry-After until `handOver`, except for /health, which says that the process
 * lives. `health`: its answer.
 */
export const createStartingApp = (baseUrl: string, health: () => object): StartingApp => {
  const refuse: RequestListener = (request, answer) => {
    if (pathOf(request.url) === '/health') answerAlive(answer, health());
    else answerRefused(request, answer, notStarted, baseUrl);
  };
  let serve = refuse;
  return {
    callback: () => (request, answer) => serve(request, answer),
    handOver(app) {
      serve = app.callback();
    },
  };
};
