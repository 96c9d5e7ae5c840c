import { type Document, type Query, type RetrievalSet, readSet } from './sets.ts';

/** Sets that are built from the documents of another set, by name. */
const BUILT: Record<string, { from: string; build: (set: RetrievalSet) => RetrievalSet }> = {
  'scifact-verbose': { from: 'scifact', build: makeVerbose },
  'scifact-titles': { from: 'scifact', build: (set) => makeVerbose(keepTitles(set)) },
  'cisi-titles': { from: 'cisi', build: keepTitles },
  'chroma-articles': { from: 'chroma-spans', build: cutIntoArticles },
};

/** Reads a set of the corpora or one that is built from it. Returns undefined if the corpus is missing. */
export function readAnySet(name: string, queries: number): RetrievalSet | undefined {
  const built = BUILT[name];
  if (!built) return readSet(name, queries);
  const set = readSet(built.from, queries);
  return set && { ...built.build(set), name };
}

/**
 * Frames in which people wrap what they ask. Their words say nothing about the subject, so a good search finds
 * the same documents with every frame.
 */
const FRAMES: ((claim: string) => string)[] = [
  (claim) => `I am looking for papers that tell whether it is the case that ${claim}.`,
  (claim) => `Is it true that ${claim}? What has been found out about this, and how was it shown?`,
  (claim) =>
    `We would like to know what other people have written about the following. ${claim}. Anything that is for or against it would be useful to us.`,
  (claim) =>
    `Could you give me some articles which describe if and why ${claim}, and those that come to another conclusion? I do not need any that only mention the subject.`,
];

/** Wraps each claim into one of the frames in turn. */
function makeVerbose(set: RetrievalSet): RetrievalSet {
  const queries = set.queries.map((query, index) => ({
    ...query,
    text: FRAMES[index % FRAMES.length]!(query.text.replace(/\.$/, '')),
  }));
  return { ...set, queries };
}

/** Leaves only the titles of the documents, which are as short as messages and names of products. */
function keepTitles(set: RetrievalSet): RetrievalSet {
  return { ...set, documents: set.documents.map((each) => ({ ...each, title: '', text: each.title })) };
}

/** Minimum length of an article in characters. An article ends at the first end of a line behind it. */
const ARTICLE_LENGTH = 8_000;

/**
 * Cuts the long documents of a set with answer spans into articles. The articles that contain a part of the
 * answer are relevant.
 */
function cutIntoArticles({ name, documents, queries }: RetrievalSet): RetrievalSet {
  const articles: (Document & { of: string; start: number; end: number })[] = [];
  for (const { _id, text } of documents) {
    for (let start = 0; start < text.length; ) {
      const line = text.indexOf('\n', start + ARTICLE_LENGTH);
      const end = line < 0 ? text.length : line + 1;
      articles.push({ _id: `${_id}-${start}`, title: '', text: text.slice(start, end), of: _id, start, end });
      start = end;
    }
  }
  const findRelevant = ({ doc, references = [] }: Query) =>
    articles.filter(
      ({ of, start, end }) => of === doc && references.some((each) => each.start < end && each.end > start),
    );
  const relevant = new Map(
    queries.map((query) => [query._id, new Map(findRelevant(query).map(({ _id }) => [_id, 1]))]),
  );
  return { name, documents: articles, queries, relevant };
}
