import { Zlib } from 'fflate';
import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { readJpegFrame } from '#src/images/header.ts';
import { PngError, readPngRows } from '#src/images/png-rows.ts';
import { Flow, type PlacedImage } from './flow.ts';
import { Fonts } from './fonts.ts';
import { formatNumber, PdfObjects, toTextString } from './objects.ts';
import { Sheet } from './sheet.ts';

const JPEG_COLOURS: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' };

/**
 * Maximum number of pixels of a PNG picture. The limit exists because the pixels of a PNG are decoded and
 * compressed again.
 */
const MAX_PIXELS = 40_000_000;

const buildImageDictionary = (width: number, height: number, colours: string, filter: string) =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace ${colours} /BitsPerComponent 8 /Filter ${filter}`;

/** Maximum number of pages of a PDF that is written. Only malicious documents need more. */
const MAX_SHEETS = 20_000;
const SHEETS_BETWEEN_PROGRESS = 8;

/** Height of letters above the baseline (`ASCENT`) and below it (`DESCENT`), as shares of the font size. */
const ASCENT = 0.93;
const DESCENT = 0.24;
const MAX_WORD_LENGTH = 500;

type Pictures = Pick<OpenDocument, 'readFigure' | 'renderPage'>;

/**
 * Converts a document in another format to PDF. Pictures and scans are shown unchanged, with invisible
 * recognized text. Other pages are typeset block by block, and each begins on a new PDF page. Only one page
 * is held in memory at a time.
 */
export async function* writePdf(
  document: Pictures,
  pages: AsyncIterable<Page>,
  title: string | undefined,
  progress: () => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const file = new PdfObjects();
  const [root, info, tree, resources] = [file.reserve(), file.reserve(), file.reserve(), file.reserve()];
  const fonts = new Fonts();
  const images: string[] = [];
  const kids: number[] = [];
  yield file.head();

  async function* sheetObjects(sheet: Sheet): AsyncGenerator<Uint8Array> {
    checkSheetCount(kids.length + 1);
    const [page, content] = [file.reserve(), file.reserve()];
    kids.push(page);
    const box = `[0 0 ${formatNumber(sheet.width)} ${formatNumber(sheet.height)}]`;
    const parts = `/Resources ${resources} 0 R /Contents ${content} 0 R`;
    yield file.object(page, `<< /Type /Page /Parent ${tree} 0 R /MediaBox ${box} ${parts} >>`);
    yield await file.compressedStream(content, '', sheet.content());
    if (kids.length % SHEETS_BETWEEN_PROGRESS === 0) await progress();
  }

  /**
   * Adds a picture to the PDF. Returns its name, its size and the bytes of its PDF object. Returns
   * `undefined` if a PDF cannot contain the picture.
   */
  function addImage(image: EncodedImage | undefined): { placed: PlacedImage; bytes: Uint8Array } | undefined {
    if (!image) return undefined;
    const at = file.reserve();
    const bytes = writeImageObject(file, at, image);
    if (!bytes) return undefined;
    const name = `Image${images.length + 1}`;
    images.push(`/${name} ${at} 0 R`);
    const { width, height, orientation } = image;
    return { placed: { name, width, height, orientation }, bytes };
  }

  for await (const page of pages) {
    if (document.renderPage) {
      const shown = addImage(await document.renderPage(page.index, { dpi: 150 }));
      if (shown) yield shown.bytes;
      yield* sheetObjects(createScannedSheet(fonts, page, shown?.placed));
    } else {
      const flow = new Flow(fonts, page, page.blocks);
      for (const block of page.blocks) {
        const shown =
          block.type === 'figure'
            ? addImage(await readBlockFigure(document, page, block.markdown))
            : undefined;
        if (shown) yield shown.bytes;
        for (const sheet of flow.add(block, shown?.placed)) yield* sheetObjects(sheet);
      }
      yield* sheetObjects(flow.last);
    }
    await progress();
  }

  const writing = fonts.write(file);
  let entries = await writing.next();
  while (!entries.done) {
    yield entries.value;
    entries = await writing.next();
  }
  yield file.object(resources, `<< /Font << ${entries.value} >> /XObject << ${images.join(' ')} >> >>`);
  yield file.object(
    tree,
    `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((kid) => `${kid} 0 R`).join(' ')}] >>`,
  );
  yield file.object(
    info,
    `<< ${title ? `/Title ${toTextString(title.slice(0, 1000))} ` : ''}/Producer (Sluice) >>`,
  );
  yield file.object(root, `<< /Type /Catalog /Pages ${tree} 0 R >>`);
  yield file.tail(root, info);
}

function checkSheetCount(count: number): void {
  if (count <= MAX_SHEETS) return;
  throw new ParseError(
    'DOCUMENT_TOO_LARGE',
    `The PDF of the document would have more than ${MAX_SHEETS} pages.`,
  );
}

async function readBlockFigure(
  document: Pictures,
  { index, figures }: Page,
  markdown: string,
): Promise<EncodedImage | undefined> {
  const shown = figures.find(
    ({ name }) => markdown.includes(name) || markdown.includes(encodeURIComponent(name)),
  );
  if (!shown) return undefined;
  return document.readFigure(index, shown.name).catch((error: unknown) => {
    if (!(error instanceof ParseError)) throw error;
    return undefined;
  });
}

/**
 * Creates a PDF page that shows a scan. The recognized words are added as invisible text at their positions.
 */
function createScannedSheet(fonts: Fonts, page: Page, image: PlacedImage | undefined): Sheet {
  const sheet = new Sheet(page);
  if (image) sheet.picture(image.name, 0, 0, page.width, page.height, image.orientation);
  const space = fonts.toGlyphs(' ', 'regular');
  for (const [text, x, y, width, height] of page.words) {
    const size = Math.max(1, height / (ASCENT + DESCENT));
    const word = fonts.toGlyphs(text.slice(0, MAX_WORD_LENGTH), 'regular');
    sheet.hiddenWord(word, space, x, y + ASCENT * size, size, width);
  }
  return sheet;
}

/**
 * Writes a picture as a PDF object. Returns `undefined` if the picture is damaged or its format is not
 * supported in PDF.
 */
export function writeImageObject(
  file: PdfObjects,
  at: number,
  { bytes, mimeType, width, height }: EncodedImage,
): Uint8Array | undefined {
  if (mimeType === 'image/jpeg') return writeJpegObject(file, at, bytes);
  if (mimeType !== 'image/png' || width * height > MAX_PIXELS) return undefined;
  try {
    return writePngObject(file, at, bytes, width, height);
  } catch (error) {
    if (!(error instanceof PngError)) throw error;
    return undefined;
  }
}

function writeJpegObject(file: PdfObjects, at: number, bytes: Uint8Array): Uint8Array | undefined {
  const frame = ignoreRangeError(() => readJpegFrame(bytes));
  const colours = frame && JPEG_COLOURS[frame.channels];
  if (!colours) return undefined;
  // CMYK values in JPEG files are stored inverted, so the PDF reader is told to invert them again.
  const decode = frame.channels === 4 ? ' /Decode [1 0 1 0 1 0 1 0]' : '';
  return file.stream(
    at,
    buildImageDictionary(frame.width, frame.height, colours, `/DCTDecode${decode}`),
    bytes,
  );
}

function ignoreRangeError<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/**
 * Writes a PNG picture as a PDF object with a white background. Works row by row, so that the whole picture
 * is never held in memory.
 */
function writePngObject(
  file: PdfObjects,
  at: number,
  bytes: Uint8Array,
  width: number,
  height: number,
): Uint8Array {
  const packed: Uint8Array[] = [];
  const pack = new Zlib({ level: 6 }, (chunk) => packed.push(chunk));
  const rows = Math.max(1, Math.floor(65_536 / (width * 3)));
  let block = new Uint8Array(rows * width * 3);
  let filled = 0;
  readPngRows(bytes, (rgba, y) => {
    for (let x = 0; x < width; x++) {
      block[filled++] = rgba[x * 4]!;
      block[filled++] = rgba[x * 4 + 1]!;
      block[filled++] = rgba[x * 4 + 2]!;
    }
    if (filled < block.length && y < height - 1) return;
    pack.push(block.subarray(0, filled), y === height - 1);
    block = new Uint8Array(rows * width * 3);
    filled = 0;
  });
  const whole = new Uint8Array(packed.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  let to = 0;
  for (const chunk of packed) {
    whole.set(chunk, to);
    to += chunk.byteLength;
  }
  return file.stream(at, buildImageDictionary(width, height, '/DeviceRGB', '/FlateDecode'), whole);
}
