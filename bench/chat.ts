/**
 * Measures how soon a chat answer starts without a language model. The stream contains the time at which the
 * search ended (`messageMetadata.retrieved_at`). The bench measures the time from then until the client has
 * read the first chunk and the first text. Service and client share one clock. The target is 50 ms. Run: npm
 * run bench:chat
 */
import { SyncClient } from '#test/process/pipelines.ts';
import { Service } from '#test/process/service.ts';

const ROUNDS = 200;
const WARM_UP = 20;

/** Milliseconds from the end of the search. `whole` is measured from the request. */
interface Beginning {
  chunk: number;
  text: number;
  whole: number;
}

const service = new Service();
await service.start();
try {
  const pipelines = new SyncClient(service);
  const id = await pipelines.createPipeline();
  const file_id = await service.upload('ferries.md', buildFerryText());
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  await pipelines.sync(id);
  const plain: Beginning[] = [];
  const resumable: Beginning[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const messages = [{ role: 'user', content: `How many cars does the ferry ${Math.abs(round)} carry?` }];
    const path = `/api/v1/pipelines/${id}/chat`;
    const took = [
      await measureBeginning(path, { messages }),
      await measureBeginning(path, { messages, id: crypto.randomUUID() }),
    ] as const;
    if (round < 0) continue;
    plain.push(took[0]);
    resumable.push(took[1]);
  }
  console.table({
    ...buildRows('a chat', plain),
    ...buildRows('a chat that can be resumed', resumable),
  });
} finally {
  await service.end();
}
console.log(`Milliseconds, ${ROUNDS} questions one after the other.`);
process.exit(0);

function buildRows(title: string, all: Beginning[]) {
  const row = (pick: (each: Beginning) => number) => ({
    median: quantile(all.map(pick), 0.5),
    p95: quantile(all.map(pick), 0.95),
  });
  return {
    [`${title}: search done to first chunk`]: row(({ chunk }) => chunk),
    [`${title}: search done to first text`]: row(({ text }) => text),
    [`${title}: request to first text`]: row(({ whole }) => whole),
  };
}

async function measureBeginning(path: string, body: object): Promise<Beginning> {
  const begun = Date.now();
  const response = await service.fetch('POST', path, body);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  let received = '';
  let chunk: number | undefined;
  let text: number | undefined;
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    received += piece;
    if (received.includes('"type":"start"')) chunk ??= Date.now();
    if (received.includes('"type":"text-delta"')) text ??= Date.now();
  }
  const retrievedAt = /"retrieved_at":"([^"]+)"/.exec(received)?.[1];
  if (!retrievedAt || !chunk || !text) throw new Error(`no answer: ${received.slice(0, 500)}`);
  const done = Date.parse(retrievedAt);
  return { chunk: chunk - done, text: text - done, whole: text - begun };
}

function buildFerryText(): string {
  const lines = Array.from(
    { length: 200 },
    (_, n) => `## Ferry ${n}\n\nThe ferry ${n} carries ${n + 3} cars.`,
  );
  return lines.join('\n\n');
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round(10 * sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!) / 10;
}
