import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseFile } from '#scripts/local-state/miniflare-files.ts';
import { DatabaseSync } from '#scripts/sqlite.ts';
import { SyncClient } from '#test/process/pipelines.ts';
import { Service, sleep } from '#test/process/service.ts';
import type { Row } from '../search/measure.ts';

const BATCH = 1000;

/** Bytes of one table or index in the metadata database. */
interface Part {
  name: string;
  bytes: number;
}

/** Text of a small document: 600 characters, of which a number is the only difference. */
const note = (n: number) =>
  `# Note ${n}\n\n${'The lighthouse of Kestrel Bay burns oil each night. '.repeat(12)}Its number is ${n}.`;

/**
 * Indexes small documents with a service of its own, and returns the bytes that each table and index of the
 * metadata database takes for each document. An empty pipeline is subtracted.
 */
export async function measureMetadata(documents: number): Promise<Row[]> {
  const service = new Service({}, { state: mkdtempSync(join(tmpdir(), 'sluice-metadata-')) });
  await service.start();
  try {
    const client = new SyncClient(service);
    const pipeline = await client.createPipeline();
    for (let from = 0; from < documents; from += BATCH) {
      const some = Array.from({ length: Math.min(BATCH, documents - from) }, (_, at) => {
        const n = from + at;
        return { id: `note-${n}`, text: note(n), metadata: { n } };
      });
      await service.call('PUT', `/api/v1/pipelines/${pipeline}/documents`, some);
    }
    while ((await client.status(pipeline)).status !== 'SUCCESS') await sleep(500);
    await service.terminate();
    return describeParts(readParts(service.state), documents);
  } finally {
    await service.end();
  }
}

function readParts(state: string): Part[] {
  const database = new DatabaseSync(databaseFile(state), { readOnly: true });
  try {
    const sql = 'SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC';
    return database
      .prepare(sql)
      .all()
      .map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) }));
  } finally {
    database.close();
  }
}

/** Parts below a byte for each document belong to the installation and not to its documents. */
function describeParts(parts: Part[], documents: number): Row[] {
  const counted = parts.filter(({ bytes }) => bytes >= documents);
  const total = counted.reduce((sum, { bytes }) => sum + bytes, 0);
  const each = (bytes: number) => Math.round(bytes / documents);
  return [
    ...counted.map(({ name, bytes }): Row => ({ 'table or index': name, 'bytes a document': each(bytes) })),
    { 'table or index': 'all', 'bytes a document': each(total) },
  ];
}
