import { type Call, inParallel, preparePipeline } from '#bench/retrieval/client.ts';
import { METADATA } from '#bench/retrieval/metadata.ts';
import { type Document, type Query, type RetrievalSet, readSet } from '#bench/retrieval/sets.ts';
import type { AnswerNode } from '#src/builtin/answering/answerer.ts';

export type Kind = 'answerable' | 'left out, same article indexed' | 'left out' | 'foreign';

/** Question with the passages that the service retrieved for it. */
export interface Case {
  set: string;
  /**
   * Location of the answer: in an indexed document, in a document that was not indexed, or in another set.
   */
  kind: Kind;
  question: string;
  nodes: FoundNode[];
  /** Spans, each of which is a correct answer. Empty if the set has no spans. */
  answers: string[];
  /** For each passage in `nodes`, true if it contains the answer. */
  right: boolean[];
}

export interface FoundNode extends AnswerNode {
  documentId: string;
  start: number;
  end: number;
  score: number;
}

interface Retrieved {
  retrieval_nodes: {
    score: number;
    node: { text: string; start_char_idx: number; end_char_idx: number; extra_info: { document_id: string } };
  }[];
}

/** Sets whose documents contain the answer to each question as a span. */
export const SPAN_SETS = ['en', 'ru', 'zh', 'el', 'hi', 'ro', 'th', 'tr', 'vi'].map(
  (code) => `xquad-${code}`,
);
const FOREIGN: Record<string, string[]> = { 'xquad-en': ['scifact', 'chroma-spans'] };

/**
 * Two ways to index half of a set. In the first, paragraphs of the same article as the answer are indexed. In
 * the second, mostly other articles are indexed.
 */
const HALVES: [Kind, (index: number, all: number) => boolean][] = [
  ['left out, same article indexed', (index) => index % 2 === 0],
  ['left out', (index, all) => index < all / 2],
];

/**
 * Indexes a set and builds its cases, with at most `count` questions of each kind. Returns an empty list if
 * the set is missing.
 */
export async function buildCases(call: Call, name: string, count: number): Promise<Case[]> {
  const set = readSet(name, Number.POSITIVE_INFINITY);
  if (!set) return [];
  if (!SPAN_SETS.includes(name)) return wholeSet(call, set, count);
  const cases: Case[] = [];
  for (const [kind, isIndexed] of HALVES) {
    const indexed = set.documents.filter((_, index) => isIndexed(index, set.documents.length));
    const ids = new Set(indexed.map(({ _id }) => _id));
    const pipelineId = await preparePipeline(call, `bench chat ${name} ${kind}`, withTitles(indexed));
    const isAnswerIndexed = (query: Query) =>
      [...set.relevant.get(query._id)!.keys()].some((id) => ids.has(id));
    const questions: { query: Query; kind: Kind }[] = [];
    const ask = (queries: Query[], as: Kind, most = count) =>
      questions.push(...selectEvenly(queries, most).map((query) => ({ query, kind: as })));
    ask(set.queries.filter(isAnswerIndexed), 'answerable');
    ask(
      set.queries.filter((query) => !isAnswerIndexed(query)),
      kind,
    );
    if (kind === 'left out') {
      for (const other of FOREIGN[name] ?? []) {
        const foreign = readSet(other, Number.POSITIVE_INFINITY)?.queries ?? [];
        ask(foreign, 'foreign', count / 2);
      }
    }
    cases.push(
      ...(await inParallel(questions, async ({ query, kind }) =>
        buildCase(call, pipelineId, set, query, kind),
      )),
    );
  }
  return cases;
}

const withTitles = (documents: Document[]) =>
  documents.map((document) => ({
    id: document._id,
    text: document.text,
    metadata: METADATA.title(document),
  }));

async function wholeSet(call: Call, set: RetrievalSet, count: number): Promise<Case[]> {
  const pipelineId = await preparePipeline(call, `bench chat ${set.name}`, withTitles(set.documents));
  return inParallel(selectEvenly(set.queries, count), (query) =>
    buildCase(call, pipelineId, set, query, 'answerable'),
  );
}

async function buildCase(
  call: Call,
  pipelineId: string,
  set: RetrievalSet,
  query: Query & { answers?: string[] },
  kind: Case['kind'],
): Promise<Case> {
  const answer = await call<Retrieved>('POST', `/api/v1/pipelines/${pipelineId}/retrieve`, {
    query: query.text,
  });
  const nodes = answer.retrieval_nodes.map(({ score, node }) => ({
    text: node.text,
    documentId: node.extra_info.document_id,
    start: node.start_char_idx,
    end: node.end_char_idx,
    score,
  }));
  const holds = (node: FoundNode) =>
    query.references
      ? node.documentId === query.doc &&
        query.references.some(({ start, end }) => start < node.end && node.start < end)
      : (set.relevant.get(query._id)?.has(node.documentId) ?? false);
  return {
    set: set.name,
    kind,
    question: query.text,
    nodes,
    answers: query.answers ?? [],
    right: nodes.map((node) => kind === 'answerable' && holds(node)),
  };
}

function selectEvenly<Item>(items: Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return Array.from(
    { length: Math.min(items.length, Math.floor(count)) },
    (_, index) => items[Math.floor(index * step)]!,
  );
}
