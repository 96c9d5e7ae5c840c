import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildAssets } from '#scripts/build.ts';
import { startWorker } from '../client.ts';
import type { Grid } from '../peers/tables.ts';
import type { Read } from '../peers/worker.ts';

/** A program that reads documents. */
export interface PageReader {
  name: string;
  /** File types that the program reads, or `picture` for scans and photos. */
  kinds: readonly string[];
  /** Returns the Markdown or the text of each page. A file that cannot be read has no pages. */
  read(file: string, language?: string): Promise<string[]>;
}

const FOLDER = join(import.meta.dirname, '../peers/');
const ALL_KINDS = [
  'pdf',
  'docx',
  'html',
  'pptx',
  'odt',
  'odp',
  'nxml',
  'xml',
  'asciidoc',
  'vtt',
  'tex',
  'eml',
  'picture',
];

/** Language codes of parse parameters and the names of Tesseract's models, by the languages of the data sets. */
const LANGUAGES: Record<string, { ours: string; tesseract: string }> = {
  en: { ours: 'en', tesseract: 'eng' },
  zh: { ours: 'ch_sim', tesseract: 'chi_sim' },
};

/** Starts the parser and the peers that are installed. */
export async function startReaders(): Promise<{
  readers: PageReader[];
  /** Returns the tables that the parser finds on each page. */
  readTables(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<Grid[][]>;
  stop(): Promise<void>;
}> {
  if (!existsSync(`${FOLDER}node_modules/turndown`)) {
    console.log('Installing the peers (once)…');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefix', FOLDER], { stdio: 'inherit' });
  }
  buildAssets();
  const { base, stop } = await startWorker('peers/wrangler.toml');
  const askBytes = async (
    engine: string,
    name: string,
    body: Uint8Array<ArrayBuffer>,
    languages: string,
  ): Promise<Read> => {
    const query = new URLSearchParams({ engine, name, languages });
    const answer = await fetch(new URL(`/?${query}`, base), { method: 'POST', body });
    if (answer.ok) return (await answer.json()) as Read;
    console.log(`${engine}, ${name}: ${await answer.text()}`);
    return { pages: 0, texts: [], markdown: [], boxes: 0, tables: [] };
  };
  const ask = (engine: string, file: string, languages: string) =>
    askBytes(engine, basename(file), new Uint8Array(readFileSync(file)), languages);
  const readers: PageReader[] = [
    {
      name: 'Sluice',
      kinds: ALL_KINDS,
      read: async (file, language) =>
        (await ask('ours-ocr', file, language ? (LANGUAGES[language]?.ours ?? '') : '')).markdown,
    },
    { name: 'pdf.js', kinds: ['pdf'], read: async (file) => (await ask('unpdf', file, '')).texts },
    { name: 'PDFium', kinds: ['pdf'], read: async (file) => (await ask('pdfium', file, '')).texts },
    ...listLibraries(),
    ...listPrograms(),
  ];
  const wanted = process.env.READERS?.split(',');
  return {
    readers: readers.filter(({ name }) => wanted?.includes(name) ?? true),
    readTables: async (name, bytes) => (await askBytes('ours-ocr', name, bytes, '')).tables,
    stop,
  };
}

/** Libraries of the field for Word and web pages, which run in this process. */
function listLibraries(): PageReader[] {
  const load = createRequire(FOLDER);
  const Turndown = load('turndown') as new () => { turndown(html: string): string };
  const mammoth = load('mammoth') as { convertToHtml(file: { path: string }): Promise<{ value: string }> };
  const convert = (html: string) => new Turndown().turndown(html);
  return [
    {
      name: 'mammoth + turndown',
      kinds: ['docx'],
      read: async (path) => [convert((await mammoth.convertToHtml({ path })).value)],
    },
    { name: 'turndown', kinds: ['html'], read: async (file) => [convert(readFileSync(file, 'utf8'))] },
  ];
}

/** Runs a program beside the event loop, because connections to the parser would be closed meanwhile. */
async function run(program: string, parameters: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, parameters, { maxBuffer: 64 << 20 });
  return stdout;
}

/** Programs of the operating system. A program that is not installed is left out. */
function listPrograms(): PageReader[] {
  const splitPages = (text: string) => text.replace(/\f$/, '').split('\f');
  const programs: PageReader[] = [
    {
      name: 'pdftotext',
      kinds: ['pdf'],
      read: async (file) => splitPages(await run('pdftotext', [file, '-'])),
    },
    {
      name: 'mutool',
      kinds: ['pdf'],
      read: async (file) => splitPages(await run('mutool', ['draw', '-q', '-F', 'txt', file])),
    },
    {
      name: 'tesseract',
      kinds: ['picture'],
      read: async (file, language) => {
        if (extname(file) === '.pdf') return [];
        const model = language ? (LANGUAGES[language]?.tesseract ?? 'eng') : 'eng';
        return [await run('tesseract', [file, '-', '-l', model])];
      },
    },
  ];
  return programs.filter(({ name }) => {
    const isInstalled = spawnSync(name, ['-v'], { stdio: 'ignore' }).error === undefined;
    if (!isInstalled) console.log(`${name} is not installed, so it is left out.`);
    return isInstalled;
  });
}
