import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORPORA } from '#bench/corpora.ts';

export interface Document {
  _id: string;
  title: string;
  text: string;
}

export interface Query {
  _id: string;
  text: string;
  /** Document with the answer and the character ranges that answer the query. Only in chroma-spans. */
  doc?: string;
  references?: { start: number; end: number }[];
}

/** Position of a retrieved chunk. */
export interface Found {
  documentId: string;
  start: number;
  end: number;
}

export interface RetrievalSet {
  name: string;
  documents: Document[];
  queries: Query[];
  /** Grades by query and document. */
  relevant: Map<string, Map<string, number>>;
}

/**
 * Measures of a plain BM25 (Lucene's formula, stems) from the README of the corpora. The values are those of
 * the two printed columns.
 */
export const PUBLISHED_BM25: Record<string, [number, number]> = {
  scifact: [0.684, 0.816],
  'xquad-en': [0.965, 0.994],
  'xquad-ru': [0.953, 0.989],
  'xquad-zh': [0.967, 0.993],
  'chroma-spans': [0.839, 0.909],
};

/** Reads a set with at most `queries` queries, evenly selected. Returns undefined if the set is missing. */
export function readSet(name: string, queries: number): RetrievalSet | undefined {
  const folder = join(CORPORA, 'retrieval', name);
  if (!existsSync(folder)) return undefined;
  const all = readLines<Query>(join(folder, 'queries.jsonl'));
  const step = Math.max(1, all.length / queries);
  const relevant = new Map<string, Map<string, number>>();
  for (const line of readFileSync(join(folder, 'qrels.tsv'), 'utf8').trim().split('\n').slice(1)) {
    const [query, document, grade] = line.split('\t') as [string, string, string];
    relevant.set(query, (relevant.get(query) ?? new Map()).set(document, Number(grade)));
  }
  return {
    name,
    documents: readLines<Document>(join(folder, 'docs.jsonl')),
    queries: Array.from(
      { length: Math.min(queries, all.length) },
      (_, index) => all[Math.floor(index * step)]!,
    ),
    relevant,
  };
}

function readLines<Row>(file: string): Row[] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** Returns nDCG@10 and recall@10 over documents. A document has the rank of its first chunk. */
export function measureDocuments(found: Found[], relevant: Map<string, number>): [number, number] {
  const top = [...new Set(found.map(({ documentId }) => documentId))].slice(0, 10);
  const gain = (grades: number[]) =>
    grades.reduce((sum, grade, rank) => sum + grade / Math.log2(rank + 2), 0);
  const ideal = gain([...relevant.values()].sort((a, b) => b - a).slice(0, 10));
  const hits = top.filter((id) => relevant.has(id)).length;
  return [gain(top.map((id) => relevant.get(id) ?? 0)) / ideal, hits / relevant.size];
}

/** Returns the share of the wanted characters in the first 5 and in the first 10 chunks. */
export function measureSpans(found: Found[], { doc, references = [] }: Query): [number, number] {
  const computeShare = (chunks: Found[]) => {
    let wanted = 0;
    let covered = 0;
    for (const { start, end } of references) {
      wanted += end - start;
      for (let at = start; at < end; at += 1) {
        if (chunks.some((chunk) => chunk.documentId === doc && chunk.start <= at && at < chunk.end))
          covered += 1;
      }
    }
    return covered / wanted;
  };
  return [computeShare(found.slice(0, 5)), computeShare(found.slice(0, 10))];
}
