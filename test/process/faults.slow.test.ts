import { afterAll, beforeAll, expect, it } from 'vitest';
import { EmbeddingServer } from './embedding-server.ts';
import { SyncClient, type SyncStatus } from './pipelines.ts';
import { S3Server, type Trouble } from './s3-server.ts';
import { Service, sleep } from './service.ts';

// Faults during bucket syncs: the process is killed and restarted; source, embedder and index fail, hang,
// answer slowly or twice; queue messages arrive twice and out of order. Kills and faults of source and
// embedder follow from the seed. Faults within the Worker are random. `npm run test:faults` runs all seeds.
// The suite runs the first seed with fewer files and documents.

const SEEDS = Number(process.env.SEEDS ?? 1);
const FIRST_SEED = Number(process.env.FIRST_SEED ?? 1);
const FILES = Number(process.env.FILES ?? 40);
const DOCUMENTS = Number(process.env.DOCUMENTS ?? 200);
const SEED_TIMEOUT_MS = 10 * 60_000;

const s3 = new S3Server('papers');
const embeddings = new EmbeddingServer();
const service = new Service({
  ALLOW_PRIVATE_ADDRESSES: 'true',
  SILENCE_SECONDS: '3',
  SERVICE_ENTRY: 'test/support/faulty-worker.ts',
});
const client = new SyncClient(service);

beforeAll(async () => {
  await s3.start();
  await embeddings.start();
  await service.start();
});
afterAll(async () => {
  await service.end();
  await s3.stop();
  await embeddings.stop();
});

/** Creates a Mulberry32 generator, which returns the same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Returns a word that occurs in one file only. */
const word = (seed: number, n: number) => `marker${seed}x${n}x`;
const buildKey = (seed: number, n: number) => `seed-${seed}/file-${n}.txt`;

async function createSeededPipeline(seed: number): Promise<string> {
  for (let n = 0; n < FILES; n += 1) {
    const filler = `Sentence of file ${n} that goes on for a while. `.repeat(5 + (n % 40));
    s3.put(buildKey(seed, n), `The word here is ${word(seed, n)}. ${filler}`);
  }
  const { id: sourceId } = await service.call<{ id: string }>('POST', '/api/v1/data-sources', {
    name: `seed ${seed}`,
    source_type: 'SOURCE_9_BUCKET',
    component: {
      bucket: 'papers',
      prefix: `seed-${seed}/`,
      cloud_access_id: s3.credentials.accessKeyId,
      cloud_access_secret: s3.credentials.secretAccessKey,
      bucket_endpoint_url: s3.url,
    },
  });
  const id = await client.createPipeline({
    embedding_config: {
      type: 'PROVIDER_G_EMBEDDING',
      component: { api_base: embeddings.base, api_key: embeddings.key, model_name: 'loopback', timeout: 3 },
    },
  });
  await service.call('PUT', `/api/v1/pipelines/${id}/data-sources`, [{ data_source_id: sourceId }]);
  return id;
}

interface ListedFile {
  file_id: string;
  external_file_id: string;
  status: string;
  status_details: { error?: { message: string } } | null;
}

async function fetchFiles(id: string): Promise<Map<string, ListedFile>> {
  const files = await service.call<ListedFile[]>('GET', `/api/v1/pipelines/${id}/files`);
  return new Map(files.map((file) => [file.external_file_id, file]));
}

/**
 * Asserts that each file with SUCCESS is in the index once, and that each file with ERROR has a reason and is
 * not in the index.
 */
async function expectTruth(id: string, seed: number, status: SyncStatus): Promise<void> {
  const files = await fetchFiles(id);
  const counted: Record<string, number> = {};
  for (const { status: each } of files.values()) counted[each] = (counted[each] ?? 0) + 1;
  expect(status.counts).toEqual(counted);
  expect(Object.keys(counted).filter((each) => each !== 'SUCCESS' && each !== 'ERROR')).toEqual([]);
  for (let n = 0; n < FILES; n += 1) {
    const file = files.get(buildKey(seed, n));
    const hits = (await client.search(id, word(seed, n))).filter(({ node }) =>
      node.text.includes(word(seed, n)),
    );
    if (file?.status === 'SUCCESS') {
      expect(hits.map(({ node }) => node.extra_info.file_id)).toEqual([file.file_id]);
    } else {
      expect(hits, `${buildKey(seed, n)} is ${file?.status}`).toEqual([]);
      if (file) expect(file.status_details?.error?.message).toBeTruthy();
    }
  }
}

it.for(Array.from({ length: SEEDS }, (_, k) => FIRST_SEED + k))(
  'syncs lose and duplicate nothing under seed %i',
  { timeout: SEED_TIMEOUT_MS },
  async (seed) => {
    const random = createRandom(seed);
    s3.random = random;
    embeddings.random = random;
    s3.trouble = undefined;
    embeddings.trouble = undefined;
    s3.objects.clear();
    const id = await createSeededPipeline(seed);
    const trouble: Trouble = {
      chance: 0.02 + random() * 0.15,
      kinds: ['error', 'throttle', 'slow', 'cut', 'error', 'throttle', 'slow', 'cut', 'hang'],
    };
    s3.trouble = trouble;
    embeddings.trouble = trouble;
    await service.call('POST', `/api/v1/pipelines/${id}/sync`);
    const kills = 1 + Math.floor(random() * 2);
    for (let k = 0; k < kills; k += 1) {
      await sleep(300 + random() * 5000);
      await service.kill();
      await service.start();
    }
    await sleep(random() * 3000);
    s3.trouble = undefined;
    embeddings.trouble = undefined;
    const ended = await client.untilFinished(id, null, 300_000);
    await expectTruth(id, seed, ended);
    // The next sync retries the temporary failures and nothing else.
    const failures = ended.status === 'SUCCESS' ? 0 : FILES;
    let last = ended;
    for (let round = 0; last.status !== 'SUCCESS' && round < 5; round += 1) last = await client.sync(id);
    expect(last).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: FILES } });
    if (failures > 0) await expectTruth(id, seed, last);
  },
);

const noteId = (seed: number, n: number) => `note-${seed}-${n}`;
const DELETED = 7;

/** Adds documents like a client and deletes every seventh one during the sync. */
it.for(Array.from({ length: SEEDS }, (_, k) => FIRST_SEED + k))(
  'document uploads lose and duplicate nothing, and keep deletions, under seed %i',
  { timeout: SEED_TIMEOUT_MS },
  async (seed) => {
    const random = createRandom(seed);
    embeddings.random = random;
    embeddings.trouble = undefined;
    const id = await client.createPipeline({
      embedding_config: {
        type: 'PROVIDER_G_EMBEDDING',
        component: { api_base: embeddings.base, api_key: embeddings.key, model_name: 'loopback', timeout: 3 },
      },
    });
    const path = `/api/v1/pipelines/${id}/documents`;
    const documents = Array.from({ length: DOCUMENTS }, (_, n) => ({
      id: noteId(seed, n),
      text: `The word here is ${word(seed, n)}. ${`Sentence of note ${n}. `.repeat(1 + (n % 9))}`,
      metadata: {},
    }));
    embeddings.trouble = {
      chance: 0.02 + random() * 0.1,
      kinds: ['error', 'throttle', 'slow', 'cut', 'error'],
    };
    for (let from = 0; from < DOCUMENTS; from += 1000) {
      await service.call('PUT', path, documents.slice(from, from + 1000));
    }
    const kills = 1 + Math.floor(random() * 3);
    for (let k = 0; k < kills; k += 1) {
      await sleep(100 + random() * 2000);
      await service.kill();
      await service.start();
    }
    const deleted = documents.filter((_, n) => n % DELETED === 3).map((each) => each.id);
    for (const each of deleted) await service.call('DELETE', `${path}/${each}`);
    embeddings.trouble = undefined;
    let last = await client.untilFinished(id, null, 300_000);
    for (let round = 0; last.status !== 'SUCCESS' && round < 5; round += 1) last = await client.sync(id);
    const kept = DOCUMENTS - deleted.length;
    expect(last).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: kept } });
    const looked = Math.max(1, Math.floor(DOCUMENTS / 400));
    for (let n = 0; n < DOCUMENTS; n += looked) {
      const hits = (await client.search(id, word(seed, n))).filter(({ node }) =>
        node.text.includes(`${word(seed, n)}.`),
      );
      const expected = n % DELETED === 3 ? [] : [noteId(seed, n)];
      expect(hits.map(({ node }) => node.extra_info.document_id)).toEqual(expected);
    }
  },
);
