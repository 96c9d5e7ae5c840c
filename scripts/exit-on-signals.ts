/**
 * Exits on SIGINT and SIGTERM. Without these listeners, the exit handlers that clean up, for example after an
 * interrupted wrangler, would not run.
 */
export function exitOnSignals(): void {
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
}
