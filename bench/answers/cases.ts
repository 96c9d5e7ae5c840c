import { type Call, inParallel } from '#bench/retrieval/client.ts';
import { METADATA } from '#bench/retrieval/metadata.ts';
import { type Document, type Query, type RetrievalSet, readSet } from '#bench/retrieval/sets.ts';
import type { WordCounts } from '#src/ports/index-types.ts';
import { containsAnswer } from './measures.ts';
import { type FoundNode, type OpenIndex, openIndex } from './open-index.ts';
import { listRefusalDocuments, REFUSAL_SETS, readRefusals } from './refusals.ts';

export type Kind =
  | 'answerable'
  | 'left out, same article indexed'
  | 'left out'
  | 'same subject without answer'
  | 'foreign';

/** Question with the passages that the service retrieved for it. */
export interface Case {
  set: string;
  /**
   * Location of the answer: in an indexed document, in a document that was not indexed, or in another set.
   */
  kind: Kind;
  question: string;
  nodes: FoundNode[];
  /** Statistics of the index for the words of the question. The service passes them on without the API. */
  counts: WordCounts;
  /** Spans, each of which is a correct answer. Empty if the set has no spans. */
  answers: string[];
  /** For each passage in `nodes`, true if it contains the answer. */
  right: boolean[];
}

/** Sets whose documents contain the answer to each question as a span. */
export const SPAN_SETS = ['en', 'ru', 'zh', 'el', 'hi', 'ro', 'th', 'tr', 'vi'].map(
  (code) => `xquad-${code}`,
);
/** Sets of the same language whose questions the documents of a set cannot answer. */
const FOREIGN: Record<string, string[]> = {
  'xquad-en': ['scifact', 'chroma-spans', 'chat-refusals-en'],
  'xquad-zh': ['chat-refusals-zh'],
  'chat-refusals-en': ['xquad-en', 'scifact'],
  'chat-refusals-zh': ['xquad-zh'],
};

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
  if (REFUSAL_SETS.includes(name)) return buildRefusalCases(call, name, count);
  const set = readSet(name, Number.POSITIVE_INFINITY);
  if (!set) return [];
  if (!SPAN_SETS.includes(name)) return wholeSet(call, set, count);
  const cases: Case[] = [];
  for (const [kind, isIndexed] of HALVES) {
    const indexed = set.documents.filter((_, index) => isIndexed(index, set.documents.length));
    const ids = new Set(indexed.map(({ _id }) => _id));
    const index = await openIndex(call, `bench chat ${name} ${kind}`, withTitles(indexed));
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
      for (const other of FOREIGN[name] ?? []) ask(readQuestions(other), 'foreign', count / 2);
    }
    cases.push(
      ...(await inParallel(questions, async ({ query, kind }) => buildCase(index, set, query, kind))),
    );
  }
  return cases;
}

function readQuestions(set: string): Query[] {
  if (REFUSAL_SETS.includes(set)) {
    return readRefusals(set).map(({ id, question }) => ({ _id: id, text: question }));
  }
  return readSet(set, Number.POSITIVE_INFINITY)?.queries ?? [];
}

/**
 * Asks each question twice: with the passages of all questions indexed, and with only those passages that
 * contain no form of the answer.
 */
async function buildRefusalCases(call: Call, name: string, count: number): Promise<Case[]> {
  const items = readRefusals(name);
  const cases: Case[] = [];
  for (const variant of ['with_answer', 'without_answer'] as const) {
    const documents = listRefusalDocuments(items, variant);
    const index = await openIndex(call, `bench chat ${name} ${variant}`, documents);
    const kind = variant === 'with_answer' ? 'answerable' : 'same subject without answer';
    const own = await inParallel(selectEvenly(items, count), async ({ question, answers }) => {
      const nodes = await index.search(question);
      const right = nodes.map(({ text }) => answers.some((forms) => containsAnswer(text, forms)));
      const counts = index.count(question);
      return { set: name, kind, question, nodes, counts, answers: answers.flat(), right } satisfies Case;
    });
    // A passage of another question may contain the answer by chance.
    cases.push(...own.filter(({ right }) => kind === 'answerable' || !right.includes(true)));
    if (variant === 'without_answer') continue;
    for (const other of FOREIGN[name] ?? []) {
      const foreign = selectEvenly(readQuestions(other), count / 2);
      cases.push(
        ...(await inParallel(foreign, async ({ text: question }): Promise<Case> => {
          const nodes = await index.search(question);
          const right = nodes.map(() => false);
          const counts = index.count(question);
          return { set: name, kind: 'foreign', question, nodes, counts, answers: [], right };
        })),
      );
    }
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
  const index = await openIndex(call, `bench chat ${set.name}`, withTitles(set.documents));
  return inParallel(selectEvenly(set.queries, count), (query) => buildCase(index, set, query, 'answerable'));
}

async function buildCase(
  index: OpenIndex,
  set: RetrievalSet,
  query: Query & { answers?: string[] },
  kind: Case['kind'],
): Promise<Case> {
  const nodes = await index.search(query.text);
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
    counts: index.count(query.text),
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
