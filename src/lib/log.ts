import { redactMember } from './secrets/redaction.ts';
import { currentTrace } from './trace.ts';

export const LOG_LEVELS = ['info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Writes one JSON line per event. Callers pass facts, never request bodies or credentials. Secrets inside
 * facts, such as in an error message, are removed.
 */
export type Logger = Record<LogLevel, (event: string, facts?: Record<string, unknown>) => void>;

/**
 * Creates a logger for events of level `lowest` and above. Each line contains `common` and the current trace.
 */
export function createLogger(common: Record<string, unknown> = {}, lowest: LogLevel = 'info'): Logger {
  const writer = (level: LogLevel): Logger[LogLevel] => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(lowest)) return () => {};
    return (event, facts) => {
      const trace = currentTrace();
      console[level](
        JSON.stringify(
          { event, ...(trace && { traceId: trace.traceId }), ...common, ...facts },
          redactMember,
        ),
      );
    };
  };
  return { info: writer('info'), warn: writer('warn'), error: writer('error') };
}
