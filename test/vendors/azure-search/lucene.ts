import { Refused } from './refused.ts';

// Evaluates the part of the full Lucene syntax that Sluice uses, over one field with the analyser `whitespace`: terms with
// boosts, and a required group before optional terms. Documents are ranked by BM25.

const MOST_CLAUSES = 3_000;
const MOST_CHARACTERS = 100_000;
/** A term with escaped special characters and an optional boost. Unescaped special characters do not match. */
const CLAUSE = /^((?:\\[\s\S]|[^+\-&|!(){}[\]^"~*?:\\/\s])+)(?:\^(\d+(?:\.\d+)?))?$/u;
const K1 = 1.2;
const B = 0.75;

interface Clause {
  term: string;
  boost: number;
}

/** Returns the scores of the documents that match. `texts` has the text of each document. */
export function rankByWords(search: string, texts: Map<string, string>): Map<string, number> {
  const { required, optional } = parseLucene(search);
  const documents = [...texts].map(([id, text]) => ({ id, words: text.split(/\s+/u).filter(Boolean) }));
  const mean = documents.reduce((sum, { words }) => sum + words.length, 0) / (documents.length || 1);
  const counted = documents.map(({ id, words }) => ({ id, length: words.length, counts: countEach(words) }));
  const having = new Map<string, number>();
  for (const { counts } of counted) {
    for (const term of counts.keys()) having.set(term, (having.get(term) ?? 0) + 1);
  }
  const scores = new Map<string, number>();
  for (const { id, length, counts } of counted) {
    if (!required.some(({ term }) => counts.has(term))) continue;
    let score = 0;
    for (const { term, boost } of [...required, ...optional]) {
      const frequency = counts.get(term) ?? 0;
      const n = having.get(term) ?? 0;
      const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5));
      score += (boost * idf * frequency) / (frequency + K1 * (1 - B + (B * length) / mean));
    }
    scores.set(id, score);
  }
  return scores;
}

function parseLucene(search: string): { required: Clause[]; optional: Clause[] } {
  if (search.length > MOST_CHARACTERS) throw new Refused('The search text is too long.');
  const grouped = /^\+\(([^()]*)\) (.*)$/s.exec(search);
  const [required, optional] = grouped ? [grouped[1]!, grouped[2]!] : [search, ''];
  const parsed = { required: parseClauses(required), optional: parseClauses(optional) };
  if (parsed.required.length + parsed.optional.length > MOST_CLAUSES)
    throw new Refused('ClauseLimitExceeded');
  return parsed;
}

function parseClauses(text: string): Clause[] {
  return text
    .split(/\s+/u)
    .filter(Boolean)
    .map((clause) => {
      const found = CLAUSE.exec(clause);
      if (!found || ['AND', 'OR', 'NOT'].includes(clause))
        throw new Refused(`Failed to parse query string at '${clause}'.`);
      return { term: found[1]!.replaceAll(/\\([\s\S])/gu, '$1'), boost: Number(found[2] ?? 1) };
    });
}

function countEach(words: string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
