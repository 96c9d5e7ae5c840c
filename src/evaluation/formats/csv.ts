import { readDelimited } from '#src/text-formats/separated-values.ts';
import { createImportError, type ImportedItem, type ImportedQuestion } from './records.ts';

const REFERENCES = ['document_id', 'file_name', 'external_file_id'] as const;
const COLUMNS = [
  'question',
  'id',
  'tags',
  'expected_passage',
  ...REFERENCES,
  'page',
  'relevance',
  'expected_answer',
  'expects_refusal',
] as const;
type Column = (typeof COLUMNS)[number];
type Row = Partial<Record<Column, string>>;

const TRUE = ['true', 'yes', '1'];
const FALSE = ['false', 'no', '0', ''];

/**
 * Reads questions from CSV with a header row. Rows with the same `id`, or without ids with the same question, are
 * one question with several expectations. Throws Invalid with the number of the row and the name of the column.
 */
export function readCsv(content: string): ImportedQuestion[] {
  const text = content.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const [header = [], ...rows] = readDelimited(text, findSeparator(text));
  const columns = readHeader(header);
  const questions = new Map<string, ImportedQuestion>();
  for (const [index, cells] of rows.entries()) {
    const place = `row ${index + 2}`;
    const row: Row = Object.fromEntries(
      columns.map((column, at) => [column, (cells[at] ?? '').trim()]).filter(([, value]) => value !== ''),
    );
    if (Object.keys(row).length === 0) continue;
    if (!row.question) throw createImportError('content', place, 'column question: is empty');
    const key = row.id === undefined ? `question ${row.question}` : `id ${row.id}`;
    const known = questions.get(key);
    const question = known ?? startQuestion(place, row);
    if (!known) questions.set(key, question);
    addExpectation(question, place, row);
  }
  return [...questions.values()];
}

/** Returns the separator that the header contains most. */
function findSeparator(text: string): string {
  const [header = ''] = text.split('\n', 1);
  const count = (separator: string) => header.split(separator).length;
  return [',', ';', '\t'].reduce((best, each) => (count(each) > count(best) ? each : best));
}

function readHeader(header: string[]): Column[] {
  const names = header.map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !COLUMNS.includes(name as Column));
  if (unknown !== undefined) {
    throw createImportError(
      'content',
      'row 1',
      `unknown column '${unknown}', allowed are ${COLUMNS.join(', ')}`,
    );
  }
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  if (repeated !== undefined) throw createImportError('content', 'row 1', `column ${repeated} occurs twice`);
  if (!names.includes('question')) throw createImportError('content', 'row 1', 'column question is missing');
  return names as Column[];
}

function startQuestion(place: string, row: Row): ImportedQuestion {
  const refusal = row.expects_refusal?.toLowerCase() ?? '';
  if (![...TRUE, ...FALSE].includes(refusal)) {
    throw createImportError('content', place, 'column expects_refusal: must be true or false');
  }
  const tags = (row.tags ?? '').split(';').map((tag) => tag.trim());
  return {
    place,
    fields: {
      text: row.question,
      external_id: row.id ?? null,
      tags: tags.filter((tag) => tag !== ''),
      expected_answer: row.expected_answer ?? null,
      expects_refusal: TRUE.includes(refusal),
    },
    passages: [],
    pages: [],
    documents: [],
  };
}

function addExpectation(question: ImportedQuestion, place: string, row: Row): void {
  const references = REFERENCES.flatMap((name) =>
    row[name] === undefined ? [] : [[name, row[name]] as const],
  );
  if (references.length > 1) {
    const names = references.map(([name]) => name).join(' and ');
    throw createImportError('content', place, `columns ${names}: only one of them may have a value`);
  }
  const item: ImportedItem = {
    ...Object.fromEntries(references),
    ...(row.relevance !== undefined && { relevance: readNumber(place, 'relevance', row.relevance) }),
  };
  if (row.page !== undefined && references.length === 0) {
    throw createImportError(
      'content',
      place,
      'column page: needs a document_id, file_name or external_file_id',
    );
  }
  if (row.expected_passage !== undefined) question.passages.push({ ...item, text: row.expected_passage });
  if (row.page !== undefined) {
    question.pages.push({ ...item, page: readNumber(place, 'page', row.page) });
  } else if (row.expected_passage === undefined && references.length > 0) {
    question.documents.push(item);
  }
}

function readNumber(place: string, column: Column, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw createImportError('content', place, `column ${column}: '${text.slice(0, 50)}' is no whole number`);
}
