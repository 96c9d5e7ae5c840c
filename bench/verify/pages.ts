import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Block, Page, Word } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { CORPORA, readManifest } from '../corpora.ts';

/** Printed page with the output of a correct reader. */
export interface TruePage {
  document: string;
  name: string;
  language: string;
  text: string;
  words?: Word[];
  markdown: string;
  blocks: (Pick<Block, 'type' | 'markdown'> & { text?: string })[];
}

const SETS = 'parse extract extract-contracts extract-receipts extract-prose classify'.split(' ');
/** Sets of many similar plain texts, of which a few are enough. */
const TEXT_SETS = 'classify-arxiv classify-contracts classify-topics-de classify-topics-en'.split(' ');
const TEXTS_PER_SET = 30;
const PARAGRAPHS = [
  ...'en el hi ro ru th tr vi zh'.split(' ').map((code) => `retrieval/xquad-${code}`),
  'retrieval/scifact',
];
const PAGES_PER_DOCUMENT = 6;
const PAGES_PER_PARAGRAPHS = 60;
const PARAGRAPHS_PER_PAGE = 3;
const FEWEST_LETTERS = 80;
const PICTURES = /\.(?:png|jpe?g|tiff?|gif)$/;

interface Item {
  file: string;
}

export async function readTruePages(parse: (file: string) => Promise<Page[]>): Promise<TruePage[]> {
  const pages: TruePage[] = [];
  const items = [
    ...SETS.flatMap(readItems),
    ...TEXT_SETS.flatMap((set) => readItems(set).slice(0, TEXTS_PER_SET)),
  ];
  for (const file of new Set(items.map((item) => item.file))) {
    if (PICTURES.test(file)) continue;
    const read = await parse(join(CORPORA, file)).catch(() => []);
    pages.push(
      ...read
        .filter(hasText)
        .slice(0, PAGES_PER_DOCUMENT)
        .map((page) => buildPage(file, page)),
    );
  }
  for (const set of PARAGRAPHS) pages.push(...readParagraphPages(set));
  return pages;
}

function readItems(set: string): Item[] {
  const manifest = readManifest<Item[] | { items: Item[] }>(set);
  return 'items' in manifest ? manifest.items : manifest;
}

const hasText = (page: Page) => !page.needsOcr && page.text.replace(/\s/g, '').length >= FEWEST_LETTERS;

function buildPage(file: string, page: Page): TruePage {
  // For a Markdown source, the author's text is used instead of the output of our parser.
  const own = file.endsWith('.md') ? readFileSync(join(CORPORA, file), 'utf8') : undefined;
  return {
    document: file,
    name: `${file}#${page.index}`,
    language: detectLanguage(page.text) ?? 'unknown',
    text: page.text,
    ...(page.words.length > 0 && { words: page.words }),
    markdown: own ?? page.markdown,
    blocks: page.blocks.map(({ type, markdown, text }) => ({ type, markdown, text })),
  };
}

function readParagraphPages(set: string): TruePage[] {
  const file = join(CORPORA, set, 'docs.jsonl');
  if (!existsSync(file)) return [];
  const texts = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { text: string }).text);
  const pages: TruePage[] = [];
  for (let at = 0; at < texts.length && pages.length < PAGES_PER_PARAGRAPHS; at += PARAGRAPHS_PER_PAGE) {
    const paragraphs = texts.slice(at, at + PARAGRAPHS_PER_PAGE);
    pages.push({
      document: `${set}/${at}`,
      name: `${set}/${at}`,
      language: /xquad-(..)$/.exec(set)?.[1] ?? 'en',
      text: paragraphs.join('\n'),
      markdown: paragraphs.join('\n\n'),
      blocks: paragraphs.map((markdown) => ({ type: 'paragraph', markdown })),
    });
  }
  return pages;
}
