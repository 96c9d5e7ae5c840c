import { describe, it } from 'vitest';
import { createBuiltinAnswerer } from '#src/builtin/answering/answerer.ts';
import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { describeField } from '#src/builtin/extraction/fields.ts';
import { findPlace } from '#src/builtin/extraction/parties/address-shape.ts';
import { inferFilters } from '#src/builtin/filter-inference/index.ts';
import { splitIntoQuestions } from '#src/builtin/question-parts.ts';
import { createBuiltinReranker } from '#src/builtin/reranker.ts';
import { generateConfiguration } from '#src/builtin/schema-generation/generate.ts';
import { createEvidence } from '#src/chat/check-citations.ts';
import { type CheckedPiece, checkMarks } from '#src/chat/check-marks.ts';
import { listCitedNumbers } from '#src/chat/citations.ts';
import type { Page } from '#src/documents/document.ts';
import { checkEvidence } from '#src/extraction/check-evidence.ts';
import { detectDateOrder, findDates, findTimes } from '#src/extraction/values/dates.ts';
import { findAmounts, findCurrencies } from '#src/extraction/values/numbers.ts';
import * as values from '#src/extraction/values/patterns.ts';
import type { JsonSchema } from '#src/json-schema/schema.ts';
import { Invalid } from '#src/lib/errors.ts';
import { hasUrlSecrets, isCredential } from '#src/lib/secrets/secret-names.ts';
import { compilePattern, PatternError } from '#src/lib/text/pattern.ts';
import { sentences } from '#src/lib/text/sentences.ts';
import { chooseModeByWording } from '#src/retrieval/modes/route.ts';
import { analyseChunk, analyseTitle } from '#src/search/analysis.ts';
import { analyseQuery } from '#src/search/query.ts';
import { extractNow } from '#test/builtin/extraction/extract.ts';
import { printedPage, tableBlock, textPage } from '#test/extraction/pages.ts';
import { expectCost, expectLinear, HOSTILE_UNITS, repeated } from '#test/support/linear-time.ts';

// These tests measure CPU time. They run in Node because the clock of a Worker stands still while the Worker
// computes.

const text: JsonSchema = { type: 'string' };
const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    invoice_number: text,
    due_date: { type: 'string', format: 'date' },
    supplier_name: text,
    supplier_phone: text,
    supplier_email: { type: 'string', format: 'email' },
    website: { type: 'string', format: 'uri' },
    customer_address: text,
    vat_id: text,
    iban: text,
    status: { type: 'string', enum: ['open', 'paid in full'] },
    is_paid: { type: 'boolean' },
    grand_total: { type: 'number' },
    skills: { type: 'array', items: text },
    lines: {
      type: 'array',
      items: {
        type: 'object',
        properties: { description: text, quantity: { type: 'number' }, total: { type: 'number' } },
      },
    },
  },
};
const RULES = ['invoice', 'resume', 'letter', '10-K', '8-K', 'readme', 'data_table', 'news'].map((type) => ({
  type,
  description: `A document that is a ${type} and nothing else.`,
}));
const FILTERED = {
  type: 'object',
  properties: {
    department: { type: 'string', enum: ['Finance', 'Human Resources'] },
    pages: { type: 'integer' },
    published: { type: 'string', format: 'date' },
    author: { type: 'string' },
  },
};

/** Returns pages with forty lines of ten words of at most 60 characters. */
function drawn(text: string): Page[] {
  const found = text.match(/\S{1,60}/g) ?? [];
  return Array.from({ length: Math.ceil(found.length / 400) }, (_, page) =>
    printedPage(
      Array.from({ length: 40 }, (_, line) => {
        const at = page * 400 + line * 10;
        return [40, 40 + line * 14, found.slice(at, at + 10).join(' ') || '-'];
      }),
      page,
    ),
  );
}

const asTable = (text: string) => {
  const cells = text.match(/.{1,300}/gsu) ?? [];
  return [textPage(text, [tableBlock([['Description', 'Total'], ...cells.map((cell) => [cell, '1.00'])])])];
};

async function answer(question: string, node: string) {
  const parts: string[] = [];
  for await (const part of createBuiltinAnswerer().answer({ question, nodes: [{ text: node }] }))
    parts.push(part);
}

async function readMarks(text: string) {
  const pieces: CheckedPiece[] = [];
  for await (const piece of checkMarks(streamPieces(text), () => 'it is not borne out')) pieces.push(piece);
}

/** Streams a text in pieces like a model. */
async function* streamPieces(text: string): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += 20) yield text.slice(at, at + 20);
}

/** Runs work that may throw the given error but no other. */
function unlessRefused(work: () => unknown, refusal: typeof Invalid | typeof PatternError): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
  }
}

const extract = (pages: Page[]) => extractNow(SCHEMA, pages, 'per_doc');
const buildEvidence = (matching_text: string) =>
  new Map([['/a', { citations: [{ page: 1, matching_text }], confidence: 1 }]]);

/** Verifies a field with all these citations. */
const citedOn = (page: Page, texts: string[]) => {
  const citations = texts.map((matching_text) => ({ page: 1, matching_text }));
  return checkEvidence([page], { value: {}, evidence: new Map([['/a', { citations, confidence: 1 }]]) });
};

const LENGTH = 12_000;
const DESCRIBED_WORDS = ['date', 'period', 'payment', 'tax', 'vat', 'bill'];

const WORK: Record<string, (text: string) => unknown> = {
  'extraction from text': (text) => extract([textPage(text)]),
  'extraction from drawn words': (text) => extract(drawn(text)),
  'extraction from a table': (text) => extract(asTable(text)),
  'typed values': (text) => [
    findDates(text),
    findTimes(text),
    detectDateOrder(text),
    findAmounts(text),
    findCurrencies(text),
    values.findEmails(text),
    values.findUrls(text),
    values.findPhones(text),
    values.findIbans(text),
    values.findBics(text),
    values.findVatIds(text),
    values.findUuids(text),
    values.findPostalCodes(text),
    values.findIdentifiers(text),
  ],
  classification: (text) => classifyBuiltin(RULES, { pages: [textPage(text)], name: 'a.txt' }),
  'the rules of a classification': (text) =>
    classifyBuiltin([{ type: 'a', description: text }, ...RULES], {
      pages: [textPage('A bill for a boat.')],
    }),
  'a schema from a prompt': (prompt) => unlessRefused(() => generateConfiguration({ prompt }), Invalid),
  'a schema from pages': (text) =>
    unlessRefused(() => generateConfiguration({ pages: [textPage(text)] }), Invalid),
  'what is cited by an answer': listCitedNumbers,
  'the marks of an answer': readMarks,
  'a statement and its passage': (text) => createEvidence(text).findContradiction(text),
  'the parts of a question': (text) => splitIntoQuestions(text.slice(0, 1_000)),
  'evidence that a model made up': (text) =>
    checkEvidence([textPage('a page')], { value: {}, evidence: buildEvidence(text) }),
  'evidence on a page': (text) =>
    checkEvidence([textPage(text)], { value: {}, evidence: buildEvidence(text.slice(-500)) }),
  'the built-in answer': (text) => answer('When and where did Aa Aa stay?', text),
  'a question': (text) => answer(text, 'The bridge was opened in 1998.'),
  reranking: (text) =>
    createBuiltinReranker().rerank(text, [
      { id: 'a', text, headings: [text], title: 'a', score: 1, language: 'en' },
    ]),
  'inferred filters': (text) => inferFilters(text, FILTERED),
  'the way of retrieving': chooseModeByWording,
  'words of a chunk': (text) => analyseChunk({ text, headings: [text] }),
  'words of a query': (text) => [analyseQuery(text, ['en', 'tr', 'ru', 'und']), analyseTitle(text, 'de')],
  sentences,
  "a caller's pattern": (text) => unlessRefused(() => compilePattern(text.slice(0, 9_000)), PatternError),
  credentials: (text) => [isCredential(text), hasUrlSecrets(text), hasUrlSecrets(text, true)],
};

describe.each(Object.entries(WORK))('%s', (_, work) => {
  it.each(Object.entries(HOSTILE_UNITS))('%s', async (_, unit) => {
    await expectLinear((length) => work(repeated(unit, length)), LENGTH);
  });
});

describe('finding evidence on one page takes linear time', () => {
  it('for many values', async () => {
    await expectLinear((length) => {
      const values = Array.from({ length: length / 10 }, (_, at) => `item ${at}`);
      citedOn(printedPage(values.map((value, at) => [40, 40 + at * 14, value])), values);
    }, 20_000);
  });

  it.each(['1', 'x', '1 ', '1.', 'ab ', '数'])('for text as long as the page, of %j', async (unit) => {
    await expectLinear((length) => {
      const text = unit.repeat(length / unit.length);
      const half = text.slice(0, length / 2);
      citedOn(textPage(text), [half, `${half}y`, `y${half}`, `${half}1`, `2${half}`]);
    }, 60_000);
  });
});

// A line separator ends a line for `.` in patterns, but not when text is split into lines.
it('address line cut by a line separator takes linear time', async () => {
  await expectLinear((length) => findPlace(`12345 A${' a'.repeat(length / 2)}\u2028a`), 20_000);
});

describe('classification time is proportional to rules and pages', () => {
  it.each([
    [
      'of known words',
      ['boat', 'river', 'bread', 'court', 'tax', 'goal', 'virus', 'novel', 'planet', 'guitar'],
    ],
    ['of words that nobody knows', ['qzx', 'wvk', 'jhb', 'pfg', 'xqd', 'zzt', 'kkw', 'vbn', 'hjq', 'gtw']],
  ])('%s', async (_, roots) => {
    // Neighboring words differ, and there are thousands of different words.
    const words = (count: number, from: number) =>
      Array.from({ length: count }, (_, at) => {
        const place = (at + from) * 7_919;
        return `${roots[place % 10]} ${roots[place % 7]}${roots[place % 9]}${(place % 4_999).toString(36)}`;
      }).join(' ');
    const rules = Array.from({ length: 1_000 }, (_, at) => ({
      type: `type ${at}`,
      description: words(220, at * 31).slice(0, 2_000),
    }));
    const pages = Array.from({ length: 500 }, (_, at) => textPage(words(200, at * 17), [], at));
    // Loads the word vectors, which happens once on the first call.
    await classifyBuiltin(RULES, { pages: [textPage('A bill for a boat.')] });
    await expectLinear(
      (count) => classifyBuiltin(rules.slice(0, count), { pages: pages.slice(0, count / 2) }),
      500,
    );
  });
});

describe('thousand fields that share a long description', () => {
  const describeFields = (word: string, length: number) => {
    const description = `${word} `.repeat(length / (word.length + 1));
    const root = { type: 'object', properties: {}, $defs: { shared: { type: 'string', description } } };
    for (let at = 0; at < 1_000; at += 1) describeField(root, `f${at}`, { $ref: '#/$defs/shared' });
  };

  it.each(DESCRIBED_WORDS)('take time proportional to the description, of "%s"', async (word) => {
    await expectLinear((length) => describeFields(word, length), 500);
  });

  it.each(DESCRIBED_WORDS)('take little longer for a ten times longer description, of "%s"', async (word) => {
    await expectCost(
      () => describeFields(word, 10_000),
      () => describeFields(word, 1_000),
      3,
    );
  });
});
