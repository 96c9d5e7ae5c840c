// Measures one other engine in a separate process: node peers.ts <peer> <chunks> <queries>. Prints one line
// of JSON.
import { CHUNKS_PER_DOCUMENT, chunk, DIMENSION, getBucket, query } from './data.ts';

const TOP_K = 10;
const BUDGET_SECONDS = 20;

interface Peer {
  /** Adds a chunk. It is called for the chunks 0, 1, 2 and so on. */
  add(number: number, text: string, vector: Float32Array): void | Promise<void>;
  ready?(): void | Promise<void>;
  modes: Record<string, (text: string, vector: Float32Array, bucket: string) => string[] | Promise<string[]>>;
}

const getChunkBucket = (number: number) => getBucket(Math.floor(number / CHUNKS_PER_DOCUMENT));

/** Combines two rankings with Reciprocal Rank Fusion, for engines without their own fusion. */
function fuse(a: string[], b: string[]): string[] {
  const scores = new Map<string, number>();
  for (const arm of [a, b]) {
    for (const [rank, id] of arm.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (61 + rank));
  }
  return [...scores]
    .sort((x, y) => y[1] - x[1])
    .slice(0, TOP_K)
    .map(([id]) => id);
}

const peers: Record<string, (count: number) => Promise<Peer>> = {
  'sqlite-vec + FTS5': async () => {
    const { default: Database } = await import('better-sqlite3');
    const sqliteVec = await import('sqlite-vec');
    const db = new Database(':memory:');
    sqliteVec.load(db);
    db.exec(`CREATE VIRTUAL TABLE vec USING vec0(embedding float[${DIMENSION}] distance_metric=cosine, bucket text);
      CREATE VIRTUAL TABLE fts USING fts5(text, bucket UNINDEXED, tokenize = 'porter');`);
    const insertVec = db.prepare('INSERT INTO vec (rowid, embedding, bucket) VALUES (?, ?, ?)');
    const insertText = db.prepare('INSERT INTO fts (rowid, text, bucket) VALUES (?, ?, ?)');
    const nearest = db.prepare('SELECT rowid AS id FROM vec WHERE embedding MATCH ? AND k = ?').pluck();
    const filtered = db
      .prepare('SELECT rowid AS id FROM vec WHERE embedding MATCH ? AND k = ? AND bucket = ?')
      .pluck();
    const best = db
      .prepare('SELECT rowid AS id FROM fts WHERE fts MATCH ? ORDER BY bm25(fts) LIMIT ?')
      .pluck();
    const dense = (vector: Float32Array) => nearest.all(vector, TOP_K).map((id) => String(Number(id) - 1));
    const sparse = (text: string) =>
      best.all(text.split(' ').join(' OR '), TOP_K).map((id) => String(Number(id) - 1));
    db.exec('BEGIN');
    return {
      add(number, text, vector) {
        insertVec.run(BigInt(number + 1), vector, getChunkBucket(number));
        insertText.run(BigInt(number + 1), text, getChunkBucket(number));
      },
      ready: () => void db.exec('COMMIT'),
      modes: {
        dense: (_, vector) => dense(vector),
        sparse: (text) => sparse(text),
        hybrid: (text, vector) => fuse(dense(vector), sparse(text)),
        'dense-filtered': (_, vector, bucket) =>
          filtered.all(vector, TOP_K, bucket).map((id) => String(Number(id) - 1)),
      },
    };
  },

  'hnswlib-node': async (count) => {
    const { default: hnswlib } = await import('hnswlib-node');
    const index = new hnswlib.HierarchicalNSW('cosine', DIMENSION);
    index.initIndex({ maxElements: count, m: 16, efConstruction: 100 });
    return {
      add: (number, _, vector) => index.addPoint(Array.from(vector), number),
      ready: () => index.setEf(100),
      modes: {
        dense: (_, vector) =>
          index.searchKnn(Array.from(vector), TOP_K).neighbors.map((id: number) => String(id)),
      },
    };
  },

  Orama: async () => {
    const { create, insert, search } = await import('@orama/orama');
    const db = create({
      schema: { text: 'string', bucket: 'enum', embedding: `vector[${DIMENSION}]` } as const,
    });
    const ask = async (parameters: object) => {
      const { hits } = await search(db, { limit: TOP_K, ...parameters } as never);
      return hits.map((hit) => hit.id);
    };
    const buildVectorQuery = (vector: Float32Array) => ({
      vector: { value: Array.from(vector), property: 'embedding' },
      similarity: 0,
    });
    return {
      add: async (number, text, vector) => {
        await insert(db, {
          id: String(number),
          text,
          bucket: getChunkBucket(number),
          embedding: Array.from(vector),
        });
      },
      modes: {
        dense: (_, vector) => ask({ mode: 'vector', ...buildVectorQuery(vector) }),
        sparse: (term) => ask({ mode: 'fulltext', term }),
        hybrid: (term, vector) => ask({ mode: 'hybrid', term, ...buildVectorQuery(vector) }),
        'dense-filtered': (_, vector, bucket) =>
          ask({ mode: 'vector', ...buildVectorQuery(vector), where: { bucket: { eq: bucket } } }),
      },
    };
  },

  MiniSearch: async () => {
    const { default: MiniSearch } = await import('minisearch');
    const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
    return {
      add: (id, text) => index.add({ id, text }),
      modes: {
        sparse: (text) =>
          index
            .search(text)
            .slice(0, TOP_K)
            .map((hit) => String(hit.id)),
      },
    };
  },

  'llamaindex in memory': async () => {
    const { Settings, SimpleVectorStore, TextNode, VectorStoreQueryMode } = await import('llamaindex');
    // The store requires a model at creation. The model is never used, because the vectors are given.
    Settings.embedModel = {} as never;
    const store = new SimpleVectorStore();
    return {
      add: async (number, text, vector) => {
        await store.add([new TextNode({ id_: String(number), text, embedding: Array.from(vector) })]);
      },
      modes: {
        dense: async (_, vector) => {
          const answer = await store.query({
            queryEmbedding: Array.from(vector),
            similarityTopK: TOP_K,
            mode: VectorStoreQueryMode.DEFAULT,
          });
          return answer.ids;
        },
      },
    };
  },
};

export const PEERS = Object.keys(peers);

async function main(name: string, count: number, queries: number): Promise<void> {
  const base = process.memoryUsage().rss;
  const peer = await peers[name]!(count);
  let building = 0;
  for (let i = 0; i < count; i++) {
    const { text, vector } = chunk(i);
    const started = performance.now();
    await peer.add(i, text, vector);
    building += performance.now() - started;
  }
  const started = performance.now();
  await peer.ready?.();
  building += performance.now() - started;
  const modes: Record<string, { milliseconds: number[]; ids: string[][] }> = {};
  for (const [mode, ask] of Object.entries(peer.modes)) {
    const milliseconds: number[] = [];
    const ids: string[][] = [];
    for (let i = -2; i < queries && sum(milliseconds) < BUDGET_SECONDS * 1000; i++) {
      const { text, vector } = query(i < 0 ? 900_000 - i : i);
      const began = performance.now();
      const found = await ask(text, vector, getBucket(i));
      if (i < 0) continue;
      milliseconds.push(performance.now() - began);
      ids.push(found);
    }
    modes[mode] = { milliseconds, ids };
  }
  const memory = process.memoryUsage().rss - base;
  process.stdout.write(`${JSON.stringify({ seconds: building / 1000, memory, modes })}\n`);
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const [name, count, queries] = process.argv.slice(2);
if (import.meta.filename === process.argv[1]) await main(name!, Number(count), Number(queries));
