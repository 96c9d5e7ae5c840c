import { countTexts } from '../bm25.ts';
import { Refused } from './refused.ts';

// Evaluates the part of the full Lucene syntax that Sluice uses, over one field with the analyser `whitespace`: terms with
// boosts, and a required group before optional terms. Documents are ranked by BM25.

const MOST_CLAUSES = 3_000;
const MOST_CHARACTERS = 100_000;
/** A term with escaped special characters and an optional boost. Unescaped special characters do not match. */
const CLAUSE = /^((?:\\[\s\S]|[^+\-&|!(){}[\]^"~*?:\\/\s])+)(?:\^(\d+(?:\.\d+)?))?$/u;

interface Clause {
  term: string;
  boost: number;
}

/** Returns the scores of the documents that match. `texts` has the text of each document. */
export function rankByWords(search: string, texts: Map<string, string>): Map<string, number> {
  const { required, optional } = parseLucene(search);
  const scoreWord = countTexts(texts);
  const scores = new Map<string, number>();
  for (const id of texts.keys()) {
    if (!required.some(({ term }) => scoreWord(id, term) > 0)) continue;
    const clauses = [...required, ...optional];
    scores.set(
      id,
      clauses.reduce((sum, { term, boost }) => sum + boost * scoreWord(id, term), 0),
    );
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
