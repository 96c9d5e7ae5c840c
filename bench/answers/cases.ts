import { type Call, inParallel, preparePipeline } from '#bench/retrieval/client.ts';
import { METADATA } from '#bench/retrieval/metadata.ts';
import { type Document, type Query, type RetrievalSet, readSet } from '#bench/retrieval/sets.ts';
import type { AnswerNode } from '#src/builtin/answering/answerer.ts';

export type Kind = 'answerable' | 'left out, same article indexed' | 'left out' | 'foreign';

/** A question with what the service found for it. */
export interface Case {
  set: string;
  /** Where the answer stands: in a document of the index, in one that was left out, or in another set's. */
  kind: Kind;
  question: string;
  nodes: FoundNode[];
  /** Spans of which the answer is one; empty where the set has none. */
  answers: string[];
  /** By position in `nodes`: whether this one holds the answer. */
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

/** The sets of which the documents hold each question's answer as a span. */
export const SPAN_SETS = ['en', 'ru', 'zh', 'el', 'hi', 'ro', 'th', 'tr', 'vi'].map(
  (code) => `xquad-${code}`,
);
const FOREIGN: Record<string, string[]> = { 'xquad-en': ['scifact', 'chroma-spans'] };

/** Two ways to index half of a set. Neighbours are paragraphs of one article. */
const HALVES: [Kind, (index: number, all: number) => boolean][] = [
  ['left out, same article indexed', (index) => index % 2 === 0],
  ['left out', (index, all) => index < all / 2],
];

/** `count`: at most so many questions of each kind. */
export async function buildCases(call: Call, name: string, count: number): Promise<Case[]> {
  const set = readSet(name, Number.POSITIVE_INFINITY);
  if (!set) return [];
  if (!SPAN_SETS.includes(name)) return wholeSet(call, set, count);
  const cases: Case[] = [];
  for (const [kind, isIndexed] of HALVES) {
    const indexed = set.documents.filter((_, index) => isIndexed(index, set.documents.length));
    const ids = new Set(indexed.map(({ _id }) => _id));
    const pipelineId = await preparePipeline(call, `bench chat ${name} ${kind}`, withTitles(indexed));
    const isAnswerIndexed = (query: Query) => [...set.relevant.get(query._id)!.keys()].some((id) => ids.has(id));
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
      ...(await inParallel(questions, async ({ query, kind }) => buildCase(call, pipelineId, set, query, kind))),
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
