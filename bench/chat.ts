/**
 * How soon an answer begins, without a language model. The stream says when the search for it was over
 * (`messageMetadata.retrieved_at`); the time from then on until the client has read the first chunk, and the first
 * text, is measured here, where service and client share one clock. The aim is 50 ms. Run: npm run bench:chat
 */
import { SyncClient } from '#test/process/pipelines.ts';
import { Service } from '#test/process/service.ts';

const ROUNDS = 200;
const WARM_UP = 20;

/** Milliseconds from the search's end, and `whole` from the request. */
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
  const file_id = await service.upload('ferries.md', ferries());
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  await pipelines.sync(id);
  const plain: Beginning[] = [];
  const resumable: Beginning[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const messages = [{ role: 'user', content: `How many cars does the ferry ${Math.abs(round)} carry?` }];
    const path = `/api/v1/pipelines/${id}/chat`;
    const took = [
      await beginningOf(path, { messages }),
      await beginningOf(path, { messages, id: crypto.randomUUID() }),
    ] as const;
    if (round < 0) continue;
    plain.push(took[0]);
    resumable.push(took[1]);
  }
  console.table({
    ...rows('a chat', plain),
    ...rows('a chat that can be resumed', resumable),
  });
} finally {
  await service.end();
}
console.log(`Milliseconds, ${ROUNDS} questions one after the other.`);
process.exit(0);

function rows(of: string, all: Beginning[]) {
  const row = (pick: (each: Beginning) => number) => ({
    median: quantile(all.map(pick), 0.5),
    p95: quantile(all.map(pick), 0.95),
  });
  return {
    [`${of}: search done to first chunk`]: row(({ chunk }) => chunk),
    [`${of}: search done to first text`]: row(({ text }) => text),
    [`${of}: request to first text`]: row(({ whole }) => whole),
  };
}

async function beginningOf(path: string, body: object): Promise<Beginning> {
  const begun = Date.now();
  const response = await service.fetch('POST', path, body);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  let said = '';
  let chunk: number | undefined;
  let text: number | undefined;
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    said += piece;
    if (said.includes('"type":"start"')) chunk ??= Date.now();
    if (said.includes('"type":"text-delta"')) text ??= Date.now();
  }
  const retrievedAt = /"retrieved_at":"([^"]+)"/.exec(said)?.[1];
  if (!retrievedAt || !chunk || !text) throw new Error(`no answer: ${said.slice(0, 500)}`);
  const done = Date.parse(retrievedAt);
  return { chunk: chunk - done, text: text - done, whole: text - begun };
}

function ferries(): string {
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
