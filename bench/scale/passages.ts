import { type Document, readSet } from '#bench/retrieval/sets.ts';
import { createBuiltinEmbedder } from '#src/builtin/embedder.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { analyseChunk, analyseTitle } from '#src/search/analysis.ts';
import { resolveLanguage } from '#src/search/languages.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import type { Corpus, Passage } from './corpus.ts';

const XQUAD = ['el', 'en', 'hi', 'ro', 'ru', 'th', 'tr', 'vi', 'zh'].map((code) => `xquad-${code}`);

/** Indexes whose shards are queried: one subject in one language, and all sets together. */
export const INDEXES: { name: string; sets: string[]; questions: number }[] = [
  { name: 'scifact', sets: ['scifact'], questions: 300 },
  { name: 'all sets in one', sets: ['scifact', ...XQUAD, 'chroma-spans'], questions: 60 },
];

/** Same chunks as for long documents in bench/retrieval.ts, so there are more chunks than documents. */
const TRANSFORM = transformConfig.parse({
  mode: 'advanced',
  chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
});

const embedder = createBuiltinEmbedder();

/**
 * Reads the passages of the sets in their order and the given number of questions per set. Returns undefined
 * if a set is missing.
 */
export async function readCorpus(sets: string[], questions: number): Promise<Corpus | undefined> {
  const corpus: Corpus = { passages: [], questions: [] };
  for (const name of sets) {
    const set = readSet(name, questions);
    if (set === undefined) return undefined;
    const buildId = (id: string) => `${name}/${id}`;
    for (const document of set.documents) {
      corpus.passages.push(...(await buildPassages({ ...document, _id: buildId(document._id) })));
    }
    const vectors = await embedder.embed(
      set.queries.map(({ text }) => text),
      'query',
    );
    for (const [at, { _id, text }] of set.queries.entries()) {
      const grades = name === 'chroma-spans' ? [] : [...(set.relevant.get(_id) ?? [])];
      const relevant = new Map(grades.map(([id, grade]) => [buildId(id), grade]));
      corpus.questions.push({ text, vector: vectors[at]!, relevant });
    }
  }
  return corpus;
}

async function buildPassages({ _id, title, text }: Document): Promise<Passage[]> {
  const tokenizer = await loadTokenizer();
  const tools = {
    countTokens: (part: string) => tokenizer.count(part),
    embed: (texts: string[]) => embedder.embed(texts, 'document'),
    pause: async () => {},
  };
  const chunks = await chunkDocument({ text, pageStarts: [], pages: [] }, TRANSFORM, tools);
  const vectors = await embedder.embed(
    chunks.map((chunk) => [title, chunk.text].filter(Boolean).join('\n')),
    'document',
  );
  const language = resolveLanguage(detectLanguage(text.slice(0, 20_000)), text);
  const titleTerms = analyseTitle(title, language);
  return chunks.map((chunk, at) => {
    const { terms, frequencies, length } = analyseChunk({ text: chunk.text, language });
    const counts = new Map(terms.map((term, i) => [term, frequencies[i]!]));
    for (const [i, term] of titleTerms.terms.entries()) {
      counts.set(term, Math.min(255, (counts.get(term) ?? 0) + titleTerms.frequencies[i]!));
    }
    return { documentId: _id, vector: vectors[at]!, terms: counts, length };
  });
}
