import { redact, redactMember } from '#src/lib/secrets/redaction.ts';

/** Log for the operator, with one JSON object per line, in the format of the service's own log. */
export interface Log {
  info(event: string, facts?: Record<string, unknown>): void;
  warn(event: string, facts?: Record<string, unknown>): void;
  error(event: string, facts?: Record<string, unknown>): void;
  /** Writes a line that a child process printed to the log. */
  relay(source: string, level: string, message: string): void;
}

/** Matches lines of the runtime that are irrelevant to operators. */
const NOISE = [
  /^NOSENTRY (?:SQLite alarm|per-isolate bootstrap compile cache)/,
  /disconnected: (?:peer disconnected|worker_do_not_log)/,
];

/** Removes the server's secrets from a JSON line, which stays valid JSON. */
function redactLine(line: string): string {
  const redacted = redact(line);
  if (redacted === line) return line;
  try {
    return JSON.stringify(JSON.parse(line), redactMember);
  } catch {
    return redacted;
  }
}

export function createLog(lowest: string = 'warn'): Log {
  const levels = ['info', 'warn', 'error'];
  const write =
    (level: 'info' | 'warn' | 'error') =>
    (event: string, facts: Record<string, unknown> = {}) => {
      if (levels.indexOf(level) < levels.indexOf(lowest)) return;
      process.stderr.write(`${JSON.stringify({ level, event, ...facts }, redactMember)}\n`);
    };
  return {
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    relay(source, level, message) {
      if (NOISE.some((pattern) => pattern.test(message))) return;
      // JSON lines come from the service, which has already filtered them by LOG_LEVEL.
      if (message.startsWith('{')) process.stdout.write(`${redactLine(message)}\n`);
      else if (level === 'error' || level === 'warn' || lowest === 'info') {
        process.stderr.write(
          `${JSON.stringify({ level, event: 'runtime', source, message }, redactMember)}\n`,
        );
      }
    },
  };
}
