import { z } from 'zod';
import { parseJson } from './jsonl.ts';
import { createImportError, type ImportedQuestion, iterateLines } from './records.ts';

const query = z.object({ _id: z.union([z.string(), z.number()]).transform(String), text: z.string() });
const document = z.object({
  _id: z.union([z.string(), z.number()]).transform(String),
  title: z.string().nullish(),
});

/** Texts of a collection in the format of BEIR. */
export interface BeirTexts {
  /** JSON Lines with the members `_id` and `text`. */
  queries: string;
  /** Tab-separated lines: query id, corpus id and score. TREC's format with four columns is read too. */
  qrels: string;
  /** JSON Lines with the members `_id` and `title`. */
  corpus?: string | null | undefined;
}

/**
 * Reads the judged queries of a collection. Queries without judgements are left out. `titles` contains the titles
 * of the corpus by id, by which documents may be found if their ids are not known.
 */
export function readBeir({ queries, qrels, corpus }: BeirTexts): {
  questions: ImportedQuestion[];
  titles: Map<string, string>;
  unjudged: number;
} {
  const judgements = readJudgements(qrels);
  const questions: ImportedQuestion[] = [];
  let unjudged = 0;
  for (const { line, number } of iterateLines(queries)) {
    const place = `line ${number}`;
    const { data } = query.safeParse(parseJson('content', place, line));
    if (!data) throw createImportError('content', place, 'needs the members _id and text');
    const judged = judgements.get(data._id);
    if (!judged) {
      unjudged += 1;
      continue;
    }
    questions.push({
      place,
      fields: { text: data.text, external_id: data._id },
      passages: [],
      pages: [],
      documents: judged.map(([benchmark_id, relevance]) => ({ benchmark_id, relevance })),
    });
  }
  return { questions, titles: readTitles(corpus ?? ''), unjudged };
}

function readJudgements(qrels: string): Map<string, [string, number][]> {
  const judgements = new Map<string, [string, number][]>();
  for (const { line, number } of iterateLines(qrels)) {
    const cells = line.includes('\t') ? line.split('\t') : line.split(/ +/);
    if (number === 1 && cells.some((cell) => cell.trim() === 'score' || cell.trim() === 'corpus-id'))
      continue;
    const [queryId, corpusId, score] = cells.length === 4 ? [cells[0], cells[2], cells[3]] : cells;
    if (cells.length < 3 || cells.length > 4 || !/^-?\d{1,3}$/.test(score!.trim())) {
      throw createImportError(
        'qrels',
        `line ${number}`,
        'must have a query id, a corpus id and a whole number as score, separated by tabs',
      );
    }
    const list = judgements.get(queryId!.trim()) ?? [];
    // trec_eval treats negative judgements as not relevant.
    list.push([corpusId!.trim(), Math.max(0, Number(score))]);
    judgements.set(queryId!.trim(), list);
  }
  return judgements;
}

function readTitles(corpus: string): Map<string, string> {
  const titles = new Map<string, string>();
  for (const { line, number } of iterateLines(corpus)) {
    const { data } = document.safeParse(parseJson('corpus', `line ${number}`, line));
    if (!data) throw createImportError('corpus', `line ${number}`, 'needs the member _id');
    if (data.title) titles.set(data._id, data.title);
  }
  return titles;
}
