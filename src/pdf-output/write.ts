import { Zlib } from 'fflate';
import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { jpegFrame } from '#src/images/header.ts';
import { PngFault, readPngRows } from '#src/images/png-rows.ts';
import { Flow, type PlacedImage } from './flow.ts';
import { Fonts } from './fonts.ts';
import { number, PdfObjects, textString } from './objects.ts';
import { Sheet } from './sheet.ts';

const JPEG_COLOURS: Record<number, string> = { 1: '/DeviceGray', 3: '/DeviceRGB', 4: '/DeviceCMYK' };

/** What a picture with transparency may have, whose pixels are packed anew. */
const MOST_PIXELS = 40_000_000;

const dictionary = (width: number, height: number, colours: string, filter: string) =>
  `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace ${colours} /BitsPerComponent 8 /Filter ${filter}`;

/** More pages than any reader opens with pleasure; what asks for more of them is hostile. */
const MOST_SHEETS = 20_000;
const SHEETS_AT_A_STRETCH = 8;

/** How far the letters of the fonts reach above and below their baseline, as shares of their size. */
const ASCENT = 0.93;
const DESCENT = 0.24;
const LONGEST_WORD = 500;

type Pictures = Pick<OpenDocument, 'readFigure' | 'renderPage'>;

/**
 * A PDF of a document that is none. Pictures and scans are shown as they are, with the text that was read of them
 * behind; the pages of all other formats are set block by block, each from a new page on. A page at a time is held.
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
    if (kids.length >= MOST_SHEETS) {
      throw new ParseError('DOCUMENT_TOO_LARGE', `A PDF of it would have more than ${MOST_SHEETS} pages.`);
    }
    const [page, content] = [file.reserve(), file.reserve()];
    kids.push(page);
    const box = `[0 0 ${number(sheet.width)} ${number(sheet.height)}]`;
    const parts = `/Resources ${resources} 0 R /Contents ${content} 0 R`;
    yield file.object(page, `<< /Type /Page /Parent ${tree} 0 R /MediaBox ${box} ${parts} >>`);
    yield await file.packed(content, '', sheet.content());
    if (kids.length % SHEETS_AT_A_STRETCH === 0) await progress();
  }

  /** The object of a picture, and how it is called; nothing for one that the format cannot hold. */
  function place(image: EncodedImage | undefined): { placed: PlacedImage; bytes: Uint8Array } | undefined {
    if (!image) return undefined;
    const at = file.reserve();
    const bytes = imageObject(file, at, image);
    if (!bytes) return undefined;
    const name = `Image${images.length + 1}`;
    images.push(`/${name} ${at} 0 R`);
    const { width, height, orientation } = image;
    return { placed: { name, width, height, orientation }, bytes };
  }

  for await (const page of pages) {
    if (document.renderPage) {
      const shown = place(await document.renderPage(page.index, { dpi: 150 }));
      if (shown) yield shown.bytes;
      yield* sheetObjects(scanned(fonts, page, shown?.placed));
    } else {
      const flow = new Flow(fonts, page, page.blocks);
      for (const block of page.blocks) {
        const shown =
          block.type === 'figure' ? place(await figureOf(document, page, block.markdown)) : undefined;
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
    `<< ${title ? `/Title ${textString(title.slice(0, 1000))} ` : ''}/Producer (Sluice) >>`,
  );
  yield file.object(root, `<< /Type /Catalog /Pages ${tree} 0 R >>`);
  yield file.tail(root, info);
}

/** The picture that a block shows; none where it cannot be read. */
async function figureOf(
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

/** A page that is a picture, its words where they are printed. */
function scanned(fonts: Fonts, page: Page, image: PlacedImage | undefined): Sheet {
  const sheet = new Sheet(page);
  if (image) sheet.picture(image.name, 0, 0, page.width, page.height, image.orientation);
  const space = fonts.set(' ', 'regular');
  for (const [text, x, y, width, height] of page.words) {
    const size = Math.max(1, height / (ASCENT + DESCENT));
    const word = fonts.set(text.slice(0, LONGEST_WORD), 'regular');
    sheet.hidden(word, space, x, y + ASCENT * size, size, width);
  }
  return sheet;
}

/** The picture as an object of the file; undefined for formats that a PDF cannot hold, and for damaged ones. */
export function imageObject(
  file: PdfObjects,
  at: number,
  { bytes, mimeType, width, height }: EncodedImage,
): Uint8Array | undefined {
  if (mimeType === 'image/jpeg') return jpegObject(file, at, bytes);
  if (mimeType !== 'image/png' || width * height > MOST_PIXELS) return undefined;
  try {
    return pngObject(file, at, bytes, width, height);
  } catch (error) {
    if (!(error instanceof PngFault)) throw error;
    return undefined;
  }
}

function jpegObject(file: PdfObjects, at: number, bytes: Uint8Array): Uint8Array | undefined {
  const frame = withoutFault(() => jpegFrame(bytes));
  const colours = frame && JPEG_COLOURS[frame.channels];
  if (!colours) return undefined;
  // Programs that write four colours into a JPEG write them inverted.
  const decode = frame.channels === 4 ? ' /Decode [1 0 1 0 1 0 1 0]' : '';
  return file.stream(at, dictionary(frame.width, frame.height, colours, `/DCTDecode${decode}`), bytes);
}

function withoutFault<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

/** On white, row by row: neither the pixels nor the transparency are held. */
function pngObject(
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
  return file.stream(at, dictionary(width, height, '/DeviceRGB', '/FlateDecode'), whole);
}
