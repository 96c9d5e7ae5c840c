/** One JSON line per event. Callers pass facts, never request bodies or credentials. */
export interface Logger {
  info(event: string, facts?: Record<string, unknown>): void;
  warn(event: string, facts?: Record<string, unknown>): void;
  error(event: string, facts?: Record<string, unknown>): void;
}

export function createLogger(common: Record<string, unknown> = {}): Logger {
  const line = (event: string, facts?: Record<string, unknown>) =>
    JSON.stringify({ event, ...common, ...facts });
  return {
    info: (event, facts) => console.log(line(event, facts)),
    warn: (event, facts) => console.warn(line(event, facts)),
    error: (event, facts) => console.error(line(event, facts)),
  };
}
