import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { imageHeader } from '#src/images/header.ts';
import { encodePng, type Pixels } from '#src/images/png.ts';
import { Shrunk } from '#src/images/shrink.ts';
import { turned } from '#src/images/turn.ts';
import { messageOf } from '#src/lib/errors.ts';
import { imagePage, POINTS_PER_PIXEL } from '../image/index.ts';
import type { Parser } from '../shared/driver.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import type { WorkBudget } from '../shared/work-budget.ts';
import {
  MAX_PAGE_PIXELS,
  type TiffDirectory,
  tiffDirectories,
  tiffFault,
  withoutDeflate,
} from './directories.ts';
import { rowBytes, tiffPieces } from './pieces.ts';
import { type IFD, UTIF } from './utif.ts';

/** Decoded pixels take four bytes each, twice while they are converted: larger pages are made smaller in pieces. */
const MAX_PIXELS = 12_000_000;
const SHRUNK_TO = 8_000_000;
/** Unpacked bytes of one strip or tile, which no decoder gives in parts, and how many of its pixels are turned to colours at once. */
const MAX_PIECE_BYTES = 24_000_000;
const CONVERTED = 1_000_000;

const broken = (detail: string, cause?: unknown) =>
  new ParseError('FILE_IS_BROKEN', `The picture is damaged: ${detail}.`, cause);

const tooLarge = (message: string) => new ParseError('DOCUMENT_TOO_LARGE', message);

function readDirectories(bytes: Uint8Array, budget: WorkBudget): TiffDirectory[] {
  try {
    return tiffDirectories(bytes, budget);
  } catch (error) {
    if (error instanceof ParseError) throw error;
    throw broken('it is cut short', error);
  }
}

/** A page of 12 megapixels has a few hundred tiles. */
const MAX_JPEG_STRIPS = 5_000;

/** JPEG strips say their own size, which the page's does not bound. What keeps them from being decoded, if anything. */
function stripFault(bytes: Uint8Array, { tags }: TiffDirectory): ParseError | undefined {
  if (tags.t259?.[0] !== 7) return undefined;
  const strips = tags.t324 ?? tags.t273 ?? [];
  if (strips.length > MAX_JPEG_STRIPS) return tooLarge(`The picture has ${strips.length} strips.`);
  for (const offset of strips) {
    const header = imageHeader(bytes.subarray(offset));
    if (!header) return broken('the size of one of its strips cannot be read');
    if (header.width * header.height > MAX_PIXELS) {
      return tooLarge(`A strip of the picture has ${header.width} x ${header.height} pixels.`);
    }
  }
  return undefined;
}

function unpacked(bytes: Uint8Array, directory: TiffDirectory): IFD {
  const source = withoutDeflate(bytes, directory);
  // UTIF types its own result only; it decodes any record of tags into it.
  const page = { ...source.page.tags } as unknown as IFD;
  UTIF.decodeImage(source.bytes.slice().buffer, page);
  return page;
}

const toColours = (page: IFD, directory: TiffDirectory): Uint8Array =>
  directory.tags.t262?.[0] === 5 ? fromInk(page.data, directory) : UTIF.toRGBA8(page);

function wholePage(bytes: Uint8Array, directory: TiffDirectory): Pixels {
  const { width, height } = directory;
  const rgba = toColours(unpacked(bytes, directory), directory);
  if (rgba.length < width * height * 4) throw new Error('it holds fewer pixels than it declares');
  return { width, height, channels: 4, data: rgba };
}

/** Cyan, magenta, yellow and black as a screen shows them; the decoder leaves these to a library it lacks. */
function fromInk(inks: Uint8Array, { tags, width, height }: TiffDirectory): Uint8Array {
  const samples = tags.t277?.[0] ?? 4;
  if (tags.t258?.[0] !== 8 || samples < 4) throw new Error('its inks are not of eight bits');
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const black = 255 - inks[pixel * samples + 3]!;
    for (let ink = 0; ink < 3; ink++) {
      rgba[pixel * 4 + ink] = Math.round(((255 - inks[pixel * samples + ink]!) * black) / 255);
    }
  }
  return rgba;
}

/** Gray where it is gray: a scanned page is a third of the size. Transparency is left out. */
function withoutColour({ width, height, channels: from, data: source }: Pixels): Pixels {
  const pixels = width * height;
  let gray = true;
  for (let at = 0; at < pixels * from && gray; at += from) {
    gray = source[at] === source[at + 1] && source[at] === source[at + 2];
  }
  const channels = gray ? 1 : 3;
  const data = new Uint8Array(pixels * channels);
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < channels; channel++) {
      data[pixel * channels + channel] = source[pixel * from + channel]!;
    }
  }
  return { width, height, channels, data };
}

/** A page larger than can be held, made smaller as its strips or rows of tiles are decoded one after the other. */
function shrunkPage(bytes: Uint8Array, page: TiffDirectory): Pixels {
  const { width, height, tags } = page;
  if (tags.t284?.[0] === 2)
    throw tooLarge(`The picture has ${width} x ${height} pixels, in separate planes.`);
  const shrunk = new Shrunk(page, SHRUNK_TO);
  const tileHeight = tags.t322 ? (tags.t323?.[0] ?? height) : 0;
  // Tiles beside each other are put together; strips need nothing of the kind.
  const band = new Uint8Array(width * 4 * tileHeight);
  if (band.length > MAX_PIECE_BYTES)
    throw tooLarge(`The tiles of the picture are ${tileHeight} pixels high.`);
  for (const { x, y, bytes: piece, directory } of tiffPieces(bytes, page)) {
    if (rowBytes(directory, directory.width) * directory.height > MAX_PIECE_BYTES) {
      throw tooLarge(`A strip of the picture has ${directory.width} x ${directory.height} pixels.`);
    }
    const across = Math.min(directory.width, width - x);
    decodeRows(piece, directory, (row, rgba) => {
      if (y + row >= height) return;
      if (tileHeight > 0) band.set(rgba.subarray(0, across * 4), (row * width + x) * 4);
      else shrunk.add(rgba, y + row);
    });
    if (tileHeight === 0 || x + directory.width < width) continue;
    for (let row = 0; row < Math.min(tileHeight, height - y); row++) {
      shrunk.add(band.subarray(row * width * 4, (row + 1) * width * 4), y + row);
    }
  }
  return shrunk.finish();
}

/** Hands out the rows of a strip or tile, four bytes a pixel; only some of them are held so at a time. */
function decodeRows(
  bytes: Uint8Array,
  directory: TiffDirectory,
  take: (row: number, rgba: Uint8Array) => void,
): void {
  const { width, height } = directory;
  const page = unpacked(bytes, directory);
  const stride = page.data.length / height;
  if (!Number.isInteger(stride)) throw new Error('its rows are not of one length');
  const rows = Math.max(1, Math.floor(CONVERTED / width));
  for (let top = 0; top < height; top += rows) {
    const down = Math.min(rows, height - top);
    const part = { ...page, height: down, data: page.data.subarray(top * stride, (top + down) * stride) };
    const rgba = toColours(part, { ...directory, height: down });
    for (let row = 0; row < down; row++)
      take(top + row, rgba.subarray(row * width * 4, (row + 1) * width * 4));
  }
}

async function decodePage(bytes: Uint8Array, directory: TiffDirectory): Promise<EncodedImage> {
  const { width, height } = directory;
  if (width * height > MAX_PAGE_PIXELS) throw tooLarge(`The picture has ${width} x ${height} pixels.`);
  const fault = tiffFault(directory, bytes.length, MAX_PAGE_PIXELS * 4);
  if (fault) throw broken(`a page cannot be read because ${fault}`);
  const oversized = stripFault(bytes, directory);
  if (oversized) throw oversized;
  try {
    const stored = width * height > MAX_PIXELS ? shrunkPage(bytes, directory) : wholePage(bytes, directory);
    const shown = turned(withoutColour(stored), directory.tags.t274?.[0] ?? 1);
    const png = await encodePng(shown);
    return { bytes: png, mimeType: 'image/png', width: shown.width, height: shown.height };
  } catch (error) {
    if (error instanceof ParseError) throw error;
    throw broken(`a page cannot be decoded (${messageOf(error)})`, error);
  }
}

/** TIFF: every page of the file is a page, decoded when it is read and given as PNG. */
export const tiffParser: Parser = {
  async open({ bytes, budget }): Promise<OpenDocument> {
    const directories = readDirectories(bytes, budget);
    if (directories.length === 0) throw broken('it has no page');
    let latest: { index: number; image: EncodedImage } | undefined;
    const directoryOf = (index: number) => {
      const directory = directories[index];
      if (!directory) throw new RangeError(`page ${index} of ${directories.length}`);
      return directory;
    };
    const imageOf = async (index: number) => {
      const directory = directoryOf(index);
      if (latest?.index !== index) latest = { index, image: await decodePage(bytes, directory) };
      return latest.image;
    };
    const nameOf = (index: number) => `page-${index + 1}.png`;
    return {
      pageCount: directories.length,
      metadata: {},
      async readPage(index): Promise<Page> {
        const { tags, width, height } = directoryOf(index);
        const image = await imageOf(index);
        // A page that was made smaller is as large on paper.
        const shrink = Math.sqrt((width * height) / (image.width * image.height));
        const perInch = (tags.t282?.[0] ?? 0) * (tags.t296?.[0] === 3 ? 2.54 : 1);
        const perPixel = perInch >= 36 && perInch <= 2400 ? (72 * shrink) / perInch : undefined;
        return imagePage(
          index,
          nameOf(index),
          image,
          perPixel ?? (shrink > 1 ? POINTS_PER_PIXEL * shrink : undefined),
        );
      },
      readFigure: async (index, name) => (name === nameOf(index) ? imageOf(index) : undefined),
      renderPage: imageOf,
      close() {
        latest = undefined;
      },
    };
  },
};
