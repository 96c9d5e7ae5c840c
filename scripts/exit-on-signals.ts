/** With a listener, what runs when the process ends does so, as after an interrupted wrangler. */
export function exitOnSignals(): void {
  process.on('SIGINT', () => process.exit(130));
  process.on('SIGTERM', () => process.exit(143));
}
