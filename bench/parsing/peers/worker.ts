import { getDocumentProxy } from 'unpdf';
import OcrService from '../../../ocr/worker.ts';
import { getEngine, readUtf16 } from '../../../src/formats/pdf/engine/engine.ts';
import { PdfSession } from '../../../src/formats/pdf/engine/session.ts';
import { openDocument } from '../../../src/formats/registry.ts';
import { getErrorMessage } from '../../../src/lib/errors.ts';
import { createBuiltinOcr } from '../../../src/models/ocr/builtin.ts';
import { LANGUAGE_CODES } from '../../../src/parse/parameters/ocr.ts';
import type { ParseParameters } from '../../../src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '../../../src/parse/plan.ts';
import { readScannedPage } from '../../../src/parse-file/scanned-page.ts';
import type { Ocr } from '../../../src/ports/ocr.ts';
import { buildTablesFromItems, buildTablesFromText, type Grid } from './tables.ts';

interface Env {
  ASSETS: Fetcher;
}

/** Result of an engine for a file. `boxes` is the number of texts with a known position. */
export interface Read {
  pages: number;
  texts: string[];
  markdown: string[];
  boxes: number;
  /** Tables of each page. */
  tables: Grid[][];
}

type Reader = (bytes: Uint8Array, name: string, parameters: ParseParameters) => Promise<Read>;

async function ours(bytes: Uint8Array, name: string, parameters: ParseParameters, ocr?: Ocr): Promise<Read> {
  const plan = resolveParsePlan(parameters);
  const document = await openDocument({ bytes, name, plan });
  try {
    const read: Read = { pages: document.pageCount, texts: [], markdown: [], boxes: 0, tables: [] };
    for (let index = 0; index < document.pageCount; index++) {
      let page = await document.readPage(index);
      if (ocr && page.needsOcr) page = await readScannedPage(document, page, ocr, plan.ocr);
      read.texts.push(page.text);
      read.markdown.push(page.markdown);
      read.boxes += page.words.length;
      read.tables.push(
        page.blocks
          .filter((block) => block.type === 'table')
          .map((block) => block.text.split('\n').map((row) => row.split('\t'))),
      );
    }
    return read;
  } finally {
    document.close();
  }
}

/** Reads only the plain text of each page with PDFium, which is the minimum cost of using the engine. */
async function plainPdfium(bytes: Uint8Array): Promise<Read> {
  const session = new PdfSession(bytes);
  const { raw } = await getEngine();
  // This function is not in the function table that the product uses.
  const getText = (raw as unknown as Record<string, (...numbers: number[]) => number>).FPDFText_GetText!;
  try {
    const pages = await session.run(({ raw }, document) => raw.FPDF_GetPageCount(document));
    const texts: string[] = [];
    for (let index = 0; index < pages; index++) {
      const text = await session.onPage(index, (current, _, page) => {
        const textPage = current.raw.FPDFText_LoadPage(page);
        try {
          const count = current.raw.FPDFText_CountChars(textPage);
          return readUtf16(current, (buffer, length) =>
            length < (count + 1) * 2 ? (count + 1) * 2 : getText(textPage, 0, count, buffer) * 2,
          );
        } finally {
          current.raw.FPDFText_ClosePage(textPage);
        }
      });
      texts.push(text);
    }
    return { pages, texts, markdown: [], boxes: 0, tables: texts.map(buildTablesFromText) };
  } finally {
    session.close();
  }
}

/** Reads a file with pdf.js. It returns text items with matrices, one item per run of letters. */
async function unpdf(bytes: Uint8Array): Promise<Read> {
  const document = await getDocumentProxy(bytes.slice());
  const read: Read = { pages: document.numPages, texts: [], markdown: [], boxes: 0, tables: [] };
  try {
    for (let number = 1; number <= document.numPages; number++) {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      read.texts.push(items.map(({ str = '', hasEOL }) => (hasEOL ? `${str}\n` : str)).join(''));
      read.tables.push(buildTablesFromItems(items));
      read.boxes += items.filter((item) => item.transform).length;
      page.cleanup();
    }
    return read;
  } finally {
    await document.loadingTask.destroy();
  }
}

const readers = (env: Env, execution: ExecutionContext): Record<string, Reader> => ({
  ours: (bytes, name) => ours(bytes, name, {}),
  'ours-text': (bytes, name) => ours(bytes, name, { disable_image_extraction: true }),
  'ours-ocr': (bytes, name, parameters) =>
    ours(bytes, name, parameters, createBuiltinOcr(new OcrService(execution, env))),
  pdfium: plainPdfium,
  unpdf,
});

/** Returns the parameters that name the languages of pictures. Without them, the OCR engine chooses. */
function readLanguages(query: URLSearchParams): ParseParameters {
  const given = (query.get('languages') ?? '').split(',');
  const languages = LANGUAGE_CODES.filter((language) => given.includes(language));
  return languages.length > 0 ? { languages } : {};
}

/** POST /?engine=…&name=…&repeat=… returns the last reading, or 422 with the reason. */
export default {
  async fetch(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
    const { searchParams } = new URL(request.url);
    const reader = readers(env, execution)[searchParams.get('engine') ?? 'ours'];
    if (!reader) return new Response('no such engine', { status: 404 });
    try {
      const bytes = new Uint8Array(await request.arrayBuffer());
      let read: Read | undefined;
      for (let left = Number(searchParams.get('repeat') ?? 1); left > 0; left--) {
        read = await reader(bytes, searchParams.get('name') ?? 'file', readLanguages(searchParams));
      }
      return searchParams.has('quiet') ? new Response('done') : Response.json(read);
    } catch (error) {
      return new Response(getErrorMessage(error), { status: 422 });
    }
  },
};
