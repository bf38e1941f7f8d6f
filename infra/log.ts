import {
  type Bindings,
  type DestinationStream,
  type LevelWithSilent,
  type Logger as PinoLogger,
  pino,
} from 'pino';
import { runningTraceId } from '../ground/tracing.ts';

type Logger = PinoLogger;

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof logLevels)[number] & LevelWithSilent;

/** Keys (in lower snake case) whose values are credentials or open something. */
const secretKeys =
  /^(authorization|proxy_authorization|cookie|set_cookie|x_payment|payment_signature)$|(^|_)(api_key|password|secret|token|private_key|signer_key|master_key|macaroon)s?($|_)/;

/** Keys (in lower snake case) whose values are about a person, or are the letter itself. */
const personalKeys =
  /^(to|from|recipient|sender)(_|$)|(^|_)(content|html|markdown|body|email|address|addresses|personal|phone|webhook_url|callback_url|notification_email|reference)$|^(name|company|line\d?|street|city|postal_code)$/;

const snakeCase = (key: string): string =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();

const isHidden = (key: string): boolean => {
  const name = snakeCase(key);
  return secretKeys.test(name) || personalKeys.test(name);
};

const redacted = '[redacted]';
const maxDepth = 8;

/** Errors of drivers carry rows and parameters; of an error only these are kept. */
const publicParts = (error: Error): Record<string, unknown> => ({
  type: error.name,
  message: error.message,
  code: (error as NodeJS.ErrnoException).code,
  stack: error.stack,
  ...(error.cause instanceof Error ? { cause: publicParts(error.cause) } : {}),
});

const hide = (value: unknown, depth: number): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return publicParts(value);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= maxDepth) return '[too deep]';
  if (Array.isArray(value)) return value.map((item) => hide(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isHidden(key) ? redacted : hide(item, depth + 1),
    ]),
  );
};

const traceOfLine = (): object => {
  const traceId = runningTraceId();
  return traceId === undefined ? {} : { trace_id: traceId };
};

/**
 * JSON lines on standard output. Values under keys that name a secret or something personal are
 * replaced at any depth; only what a line is made of costs, so a level that is off costs nothing.
 * @param destination where lines go instead of standard output
 */
export const createLogger = (
  options: { level: LogLevel },
  destination: DestinationStream = pino.destination({ dest: 1, sync: true }),
): Logger => {
  const logger = pino(
    {
      level: options.level,
      base: undefined,
      messageKey: 'message',
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceOfLine,
      formatters: {
        level: (label) => ({ level: label }),
        log: (line) => hide(line, 0) as Record<string, unknown>,
      },
    },
    destination,
  );
  const child = logger.child;
  // pino gives the bindings of children to no formatter. Children inherit this method.
  logger.child = function hidingChild(this: Logger, bindings, childOptions) {
    return child.call(this, hide(bindings, 0) as Bindings, childOptions);
  } as Logger['child'];
  return logger;
};
