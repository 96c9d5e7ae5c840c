import { fileURLToPath } from 'node:url';
import { unstable_startWorker } from 'wrangler';

// The runtime with worker/checking-worker.ts in it, as a process: which certificates it trusts is read from the environment as
// it starts. Says its URL, and ends with its standard input.

const worker = await unstable_startWorker({
  config: fileURLToPath(new URL('worker/wrangler.toml', import.meta.url)),
  dev: { logLevel: 'error', server: { port: 0 }, inspector: false, watch: false },
});
await worker.ready;
process.stdout.write(`${(await worker.url).href}\n`);
process.stdin.resume().on('end', async () => {
  await worker.dispose();
  process.exit(0);
});
