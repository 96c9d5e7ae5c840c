import { fileURLToPath } from 'node:url';
import { unstable_startWorker } from 'wrangler';

// Workers runtime with worker/checking-worker.ts as a separate process, because trusted certificates are read
// from the environment at start. It prints its URL and ends with its standard input.

const ANSWER_MS = 60_000;
const STARTS = 5;

const start = async () => {
  const worker = await unstable_startWorker({
    config: fileURLToPath(new URL('worker/wrangler.toml', import.meta.url)),
    dev: { logLevel: 'error', server: { port: 0 }, inspector: false, watch: false },
  });
  await worker.ready;
  return worker;
};

/** On a busy machine, a runtime may start without ever answering. */
const answers = (url: URL) =>
  fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    () => true,
    () => false,
  );

let worker = await start();
for (let starts = 1; starts < STARTS && !(await answers(await worker.url)); starts++) {
  void worker.dispose();
  worker = await start();
}
process.stdout.write(`${(await worker.url).href}\n`);
process.stdin.resume().on('end', async () => {
  await worker.dispose();
  process.exit(0);
});
