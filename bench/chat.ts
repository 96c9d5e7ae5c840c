/**
 * How long after a retrieval the first byte of an answer comes, without a language model: the time to the first chunk
 * of a chat, less that of a retrieval of the same question. Run: npm run bench:chat
 */
import { SyncClient } from '#test/process/pipelines.ts';
import { Service } from '#test/process/service.ts';

const ROUNDS = 60;
const WARM_UP = 10;

const service = new Service();
await service.start();
try {
  const pipelines = new SyncClient(service);
  const id = await pipelines.createPipeline();
  const file_id = await service.upload('ferries.md', ferries());
  await service.call('PUT', `/api/v1/pipelines/${id}/files`, [{ file_id }]);
  await pipelines.sync(id);
  const retrieval: number[] = [];
  const plain: number[] = [];
  const resumable: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const question = `How many cars does the ferry ${Math.abs(round)} carry?`;
    const messages = [{ role: 'user', content: question }];
    const took = [
      await timeOf(`/api/v1/pipelines/${id}/retrieve`, { query: question }),
      await timeOf(`/api/v1/pipelines/${id}/chat`, { messages }),
      await timeOf(`/api/v1/pipelines/${id}/chat`, { messages, id: crypto.randomUUID() }),
    ];
    if (round < 0) continue;
    for (const [index, list] of [retrieval, plain, resumable].entries()) list.push(took[index]!);
  }
  const found = median(retrieval);
  console.table({
    retrieval: { median: round(found), 'after retrieval': '' },
    'first chunk of a chat': {
      median: round(median(plain)),
      'after retrieval': round(median(plain) - found),
    },
    'first chunk of a chat that can be resumed': {
      median: round(median(resumable)),
      'after retrieval': round(median(resumable) - found),
    },
  });
} finally {
  await service.end();
}
console.log('Milliseconds, one question after the other.');
process.exit(0);

/** Until the first chunk; signs of life do not count. */
async function timeOf(path: string, body: object): Promise<number> {
  const begun = performance.now();
  const response = await service.fetch('POST', path, body);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  let first: number | undefined;
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    if (/[{[]/.test(piece)) first ??= performance.now();
  }
  return first! - begun;
}

function ferries(): string {
  const lines = Array.from(
    { length: 200 },
    (_, n) => `## Ferry ${n}\n\nThe ferry ${n} carries ${n + 3} cars.`,
  );
  return lines.join('\n\n');
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

function round(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}
