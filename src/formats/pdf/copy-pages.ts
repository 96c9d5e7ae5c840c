import { ParseError } from '#src/documents/errors.ts';
import { copyOut, type Engine, EngineTrap } from './engine/engine.ts';
import type { PdfSession } from './engine/session.ts';

/** Creates a PDF with some pages of another PDF. The pages are unchanged, and the copy has no password. */
export async function copyPages(session: PdfSession, indexes: readonly number[]): Promise<Uint8Array> {
  try {
    return await session.run((engine, document) => createCopy(engine, document, indexes));
  } catch (error) {
    if (!(error instanceof EngineTrap)) throw error;
    throw new ParseError('DOCUMENT_TOO_LARGE', 'Copying pages of the PDF takes too much memory.', error);
  }
}

function createCopy(engine: Engine, document: number, indexes: readonly number[]): Uint8Array {
  const { raw } = engine;
  const target = raw.FPDF_CreateNewDocument();
  const list = raw.malloc(Math.max(4, indexes.length * 4));
  try {
    if (target === 0 || list === 0) throw new WebAssembly.RuntimeError('no memory for the pages');
    new Int32Array(raw.memory.buffer, list, indexes.length).set(indexes);
    if (raw.FPDF_ImportPagesByIndex(target, document, list, indexes.length, 0) === 0) {
      throw new ParseError(
        'PDF_IS_BROKEN',
        'The pages of the PDF cannot be copied because they are damaged.',
      );
    }
    return savePdf(engine, target);
  } finally {
    if (!engine.dead) {
      raw.free(list);
      raw.FPDF_CloseDocument(target);
    }
  }
}

function savePdf(engine: Engine, document: number): Uint8Array {
  const { raw } = engine;
  const writer = raw.PDFiumExt_OpenFileWriter();
  try {
    raw.PDFiumExt_SaveAsCopy(document, writer);
    const size = raw.PDFiumExt_GetFileWriterSize(writer);
    const buffer = raw.malloc(Math.max(1, size));
    if (size === 0 || buffer === 0) throw new WebAssembly.RuntimeError('no memory for the copy');
    try {
      raw.PDFiumExt_GetFileWriterData(writer, buffer, size);
      return copyOut(engine, buffer, size);
    } finally {
      raw.free(buffer);
    }
  } finally {
    raw.PDFiumExt_CloseFileWriter(writer);
  }
}
