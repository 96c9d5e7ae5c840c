import { getBaseName, parseFileName } from '#src/bucket/content-disposition.ts';
import { parseMediaType } from '#src/bucket/media-type.ts';
import { createBuiltinAnswerer } from '#src/builtin/answering/answerer.ts';
import { classifyBuiltin } from '#src/builtin/classification/classifier.ts';
import { buildStandaloneQuestion } from '#src/builtin/follow-up.ts';
import { splitIntoQuestions } from '#src/builtin/question-parts.ts';
import { createEvidence } from '#src/chat/check-citations.ts';
import { type CheckedPiece, checkMarks } from '#src/chat/check-marks.ts';
import { listCitedNumbers } from '#src/chat/citations.ts';
import type { Block, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { blockRows } from '#src/documents/markdown/block-rows.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { renderTable } from '#src/documents/markdown/render-table.ts';
import { chunkPages } from '#src/extraction/model/page-chunks.ts';
import { repair } from '#src/extraction/repair.ts';
import { detectText } from '#src/formats/detect.ts';
import { Flow } from '#src/formats/shared/flow/flow.ts';
import { collapseSpace } from '#src/formats/shared/flow/runs.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { detectChunkLanguage } from '#src/ingest/chunk-language.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { headerMap } from '#src/lib/schema/header-map.ts';
import {
  hasUrlSecrets,
  isCredential,
  looksSecret,
  replaceUrlSecrets,
} from '#src/lib/secrets/secret-names.ts';
import { findNearestName } from '#src/lib/text/nearest-name.ts';
import { PageRangeError, parsePageRanges } from '#src/lib/text/page-ranges.ts';
import { sentenceBounds } from '#src/lib/text/sentences.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { measureAgreement } from '#src/parse-file/cross-check.ts';
import { linkFigures } from '#src/parse-file/figure-links.ts';
import { frameRunningLines } from '#src/parse-file/frame-running-lines.ts';
import { splitLongTables } from '#src/parse-file/long-tables.ts';
import { extractBlockMarks } from '#src/reading/layout-prompt.ts';
import { placeBlocks } from '#src/reading/place-blocks.ts';
import { verifyPage } from '#src/reading/verify/index.ts';
import { analyseChunk, analyseTitle } from '#src/search/analysis.ts';
import { analyseQuery } from '#src/search/query.ts';
import { adfToMarkdown } from '#src/sources/jira/adf/markdown.ts';
import { wikiToMarkdown } from '#src/sources/jira/wiki-markup.ts';
import { decodeText } from '#src/text-formats/encoding.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { extractReason } from '#src/upstream/http.ts';
import { parseRetryAfter } from '#src/upstream/retry-after.ts';
import { removeCredentials } from '#src/upstream/scrub.ts';
import { translateText } from '#src/vocabulary/translate-text.ts';
import { tableBlock, textPage } from '#test/extraction/pages.ts';
import { configured, plain, tools } from '#test/ingest/chunking/helpers.ts';

/** Work on a text of any length. Rejecting the text with an expected error counts as work too. */
export type TextStep = (text: string) => unknown;

const pieces = (text: string, length: number) => text.match(new RegExp(`[\\s\\S]{1,${length}}`, 'g')) ?? [];
const toRows = (text: string) => {
  const cells = pieces(text, 20);
  return Array.from({ length: Math.ceil(cells.length / 4) }, (_, row) => cells.slice(row * 4, row * 4 + 4));
};

/** Returns a page of many short blocks with alternating running headers. */
function buildTextPage(text: string): Page {
  const blocks = pieces(text, 50).map(
    (each, at): Block => ({ type: at % 2 === 0 ? 'header' : 'paragraph', text: each, markdown: each }),
  );
  const whole = blocks.map((block) => block.text).join('\n\n');
  return { ...textPage(whole, blocks), markdown: whole };
}

async function collectMarks(text: string) {
  async function* deltas() {
    yield* pieces(text, 20);
  }
  const found: CheckedPiece[] = [];
  for await (const piece of checkMarks(deltas(), () => 'the passage does not bear it out')) found.push(piece);
}

async function answer(question: string, node: string) {
  const parts: string[] = [];
  for await (const part of createBuiltinAnswerer().answer({ question, nodes: [{ text: node }] }))
    parts.push(part);
}

function unlessRefused(work: () => unknown, refusal: new (...given: never[]) => Error): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof refusal)) throw error;
  }
}

/** Writes every kind of block of a PDF flow. */
function writeFlow(text: string): void {
  const flow = new Flow(resolveParsePlan({}), new WorkBudget());
  const runs = pieces(text, 30).map((each, at) => ({ text: each, bold: at % 2 === 0, code: at % 3 === 0 }));
  flow.heading(1, runs);
  flow.paragraph(runs);
  flow.listItem({ level: 3, ordered: true, runs });
  flow.quote(() => flow.paragraph(runs));
  flow.code(text);
  flow.paragraph([{ text, href: 'https://example.org/' }]);
  flow.finish();
}

const RULES = ['invoice', 'letter', 'news'].map((type) => ({
  type,
  description: `A document that is a ${type}.`,
}));
const CHUNKERS = ['character', 'token', 'sentence', 'semantic'].map((mode) =>
  configured({ chunking_config: { mode }, segmentation_config: { mode: 'element' } }),
);

/** Steps that process text after parsing, and text from callers and other services. */
export const TEXT_STEPS: Record<string, TextStep> = {
  'telling a format': (text) => [detectText(text, ''), detectText(text, 'html'), detectText(text, 'eml')],
  'decoding bytes': (text) => {
    const bytes = new TextEncoder().encode(text);
    return [decodeText(bytes), decodeText(Uint8Array.from(text, (each) => each.charCodeAt(0) & 0xff))];
  },
  'writing Markdown': (text) => unlessRefused(() => writeFlow(text), ParseError),
  'collapsing white space': (text) =>
    collapseSpace([{ text }, ...pieces(text, 10).map((each) => ({ text: each }))]),
  'writing tables': (text) => [
    renderTable([
      ['a', 'b'],
      [text, text],
    ]),
    renderTable([['a'], [text]], { html: true }),
    renderTable(toRows(text), { compact: true }),
  ],
  'reading tables': (text) => [
    blockRows({ markdown: `| a |\n| --- |\n${text}` }),
    blockRows({ markdown: `<table><tr><td>${text}` }),
  ],
  'splitting Markdown': (text) => unlessRefused(() => splitMarkdown(text), ParseError),
  'framing running lines': (text) =>
    frameRunningLines(buildTextPage(text), resolveParsePlan({ page_header_prefix: '<header>' }).output),
  'splitting long tables': (text) => {
    const table = tableBlock([['a', 'b', 'c', 'd'], ...toRows(text)]);
    const page = {
      ...textPage(`${text}\n\n${table.text}`, [table]),
      markdown: `${text}\n\n${table.markdown}`,
    };
    return [
      splitLongTables(page, resolveParsePlan({ adaptive_long_table: true }).tables),
      splitLongTables(buildTextPage(text), resolveParsePlan({ adaptive_long_table: true }).tables),
    ];
  },
  'linking figures': (text) =>
    linkFigures(buildTextPage(text), resolveParsePlan({ inline_images_in_markdown: true }).images),
  'comparing two readings': (text) => measureAgreement(text, `${text} a`),
  'placing blocks': (text) =>
    placeBlocks(
      [{ type: 'paragraph', text, markdown: text }, ...buildTextPage(text).blocks],
      buildTextPage(text),
    ),
  'taking marks of a layout': (text) => extractBlockMarks(text, textPage(text)),
  'verifying an output': (text) => verifyPage(text, { text: `12 ${text}`, source: 'ocr' }),
  ...Object.fromEntries(
    CHUNKERS.map((config, at) => [
      `chunking (${['character', 'token', 'sentence', 'semantic'][at]})`,
      async (text: string) => {
        try {
          return await chunkDocument(plain(`text ${text}`), config, tools);
        } catch (error) {
          if (!(error instanceof ParseError)) throw error;
        }
      },
    ]),
  ),
  'cutting pages for a model': (text) => chunkPages([textPage(text)]),
  'counting tokens': async (text) => {
    const tokenizer = await loadTokenizer();
    return [tokenizer.count(text), tokenizer.truncate(text, text.length)];
  },
  'finding sentences': sentenceBounds,
  'telling a language': (text) => [detectLanguage(text), detectChunkLanguage(text, undefined)],
  'analysing chunks and queries': (text) => [
    analyseChunk({ text, headings: [text] }),
    analyseTitle(text, 'de'),
    analyseQuery(text, ['en', 'tr', 'und']),
  ],
  'reading citations': listCitedNumbers,
  'checking marks of an answer': collectMarks,
  'checking a statement': (text) => createEvidence(text).findContradiction(text),
  'the built-in answer': (text) => answer('When and where did Aa Aa stay?', text),
  'answering a hostile question': (text) => answer(text.slice(0, 20_000), 'The bridge was opened in 1998.'),
  'following up questions': (text) => [
    buildStandaloneQuestion(['Who built it?', text, 'And when?', text]),
    splitIntoQuestions(text.slice(0, 1_000)),
  ],
  classifying: (text) => classifyBuiltin(RULES, { pages: [textPage(text)], name: text.slice(0, 255) }),
  'repairing an answer': (text) =>
    repair(
      { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } },
      { a: text, b: text },
    ),
  'removing secrets': (text) => [
    removeCredentials(text, ['a secret', text.slice(0, 4_000)]),
    extractReason(text, 'text/html', ['a secret']),
    isCredential(text),
    looksSecret(text),
    hasUrlSecrets(text, true),
    replaceUrlSecrets(`https://a:${text}`, () => '***'),
  ],
  'reading headers': (text) => [
    parseFileName(`attachment; filename=${text}`),
    parseFileName(text),
    getBaseName(text),
    parseMediaType(text),
    parseRetryAfter(text),
    headerMap().safeParse({ [text]: text }),
  ],
  'reading page ranges': (text) => unlessRefused(() => parsePageRanges(text), PageRangeError),
  'naming the nearest': (text) => findNearestName(text, [text, 'chunk_size']),
  'translating messages': translateText,
  'reading wiki markup': (text) => wikiToMarkdown(text),
  'reading documents of Jira': (text) =>
    adfToMarkdown({
      type: 'doc',
      content: [
        { type: 'paragraph', content: pieces(text, 30).map((each) => ({ type: 'text', text: each })) },
        { type: 'codeBlock', content: [{ type: 'text', text }] },
      ],
    }),
};
