import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { readImageHeader } from '#src/images/header.ts';
import { applyOrientation } from '#src/images/orientation.ts';
import { PictureShrinker } from '#src/images/picture-shrinker.ts';
import { encodePng, type Pixels } from '#src/images/png.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { imagePage, POINTS_PER_PIXEL } from '../image/index.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import type { Parser } from '../shared/parser.ts';
import type { WorkBudget } from '../shared/work-budget.ts';
import {
  findTiffFault,
  inflatePage,
  MAX_PAGE_PIXELS,
  readTiffDirectories,
  type TiffDirectory,
} from './directories.ts';
import { countRowBytes, iterateTiffPieces } from './pieces.ts';
import { type IFD, UTIF } from './utif.ts';

/**
 * Maximum number of pixels of a page that is decoded at once. A decoded pixel takes four bytes, and eight
 * bytes during conversion. Larger pages are decoded and shrunk in pieces.
 */
const MAX_PIXELS = 12_000_000;
const SHRUNK_PIXELS = 8_000_000;
/**
 * Maximum size in bytes of one unpacked strip or tile, which the decoder returns as a whole.
 * PIXELS_PER_CONVERSION is the number of pixels that are converted to colors at once.
 */
const MAX_PIECE_BYTES = 24_000_000;
const PIXELS_PER_CONVERSION = 1_000_000;

const broken = (detail: string, cause?: unknown) =>
  new ParseError('FILE_IS_BROKEN', `The picture is damaged: ${detail}.`, cause);

const tooLarge = (message: string) => new ParseError('DOCUMENT_TOO_LARGE', message);

function readDirectories(bytes: Uint8Array, budget: WorkBudget): TiffDirectory[] {
  try {
    return readTiffDirectories(bytes, budget);
  } catch (error) {
    if (error instanceof ParseError) throw error;
    throw broken('it is cut short', error);
  }
}

/** Maximum number of JPEG strips in a TIFF page. A page of 12 megapixels has a few hundred strips. */
const MAX_JPEG_STRIPS = 5_000;

/**
 * Returns an error if the JPEG strips of a page are damaged or too large. Each strip states its own size, so
 * the size of the page does not limit it.
 */
function findStripFault(bytes: Uint8Array, { tags }: TiffDirectory): ParseError | undefined {
  if (tags.t259?.[0] !== 7) return undefined;
  const strips = tags.t324 ?? tags.t273 ?? [];
  if (strips.length > MAX_JPEG_STRIPS)
    return tooLarge(`The picture has ${strips.length} strips, and the limit is ${MAX_JPEG_STRIPS}.`);
  for (const offset of strips) {
    const header = readImageHeader(bytes.subarray(offset));
    if (!header) return broken('the size of one of its strips cannot be read');
    if (header.width * header.height > MAX_PIXELS) {
      return tooLarge(
        `A strip of the picture has ${header.width} x ${header.height} pixels, which is too large to decode.`,
      );
    }
  }
  return undefined;
}

function decodePixels(bytes: Uint8Array, directory: TiffDirectory): IFD {
  const source = inflatePage(bytes, directory);
  // The type that UTIF declares covers only pages that UTIF read itself, but UTIF also decodes other objects
  // with the same tags.
  const page = { ...source.page.tags } as unknown as IFD;
  UTIF.decodeImage(source.bytes.slice().buffer, page);
  return page;
}

const toColours = (page: IFD, directory: TiffDirectory): Uint8Array =>
  directory.tags.t262?.[0] === 5 ? convertCmyk(page.data, directory) : UTIF.toRGBA8(page);

function decodeWholePage(bytes: Uint8Array, directory: TiffDirectory): Pixels {
  const { width, height } = directory;
  const rgba = toColours(decodePixels(bytes, directory), directory);
  if (rgba.length < width * height * 4) throw new Error('it contains fewer pixels than it declares');
  return { width, height, channels: 4, data: rgba };
}

/** Converts CMYK pixels to screen colors, because the decoder does not support CMYK. */
function convertCmyk(inks: Uint8Array, { tags, width, height }: TiffDirectory): Uint8Array {
  const samples = tags.t277?.[0] ?? 4;
  if (tags.t258?.[0] !== 8 || samples < 4) throw new Error('its CMYK channels do not have eight bits');
  const rgba = new Uint8Array(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++) {
    const black = 255 - inks[pixel * samples + 3]!;
    for (let ink = 0; ink < 3; ink++) {
      rgba[pixel * 4 + ink] = Math.round(((255 - inks[pixel * samples + ink]!) * black) / 255);
    }
  }
  return rgba;
}

/**
 * Converts pixels to gray if they have no color, otherwise to RGB. A gray scan takes a third of the memory.
 * Transparency is removed.
 */
function toGrayOrRgb({ width, height, channels: from, data: source }: Pixels): Pixels {
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

/**
 * Decodes a page that is too large for memory. The page is shrunk while its strips or rows of tiles are
 * decoded one after another.
 */
function decodeShrunkPage(bytes: Uint8Array, page: TiffDirectory): Pixels {
  const { width, height, tags } = page;
  if (tags.t284?.[0] === 2)
    throw tooLarge(
      `The picture has ${width} x ${height} pixels in separate color planes, which is too large to decode.`,
    );
  const shrunk = new PictureShrinker(page, SHRUNK_PIXELS);
  const tileHeight = tags.t322 ? (tags.t323?.[0] ?? height) : 0;
  // Neighboring tiles are joined into a band that spans the whole page width. Strips already span it.
  const band = new Uint8Array(width * 4 * tileHeight);
  if (band.length > MAX_PIECE_BYTES)
    throw tooLarge(`The tiles of the picture are ${tileHeight} pixels high, which is too large to decode.`);
  for (const { x, y, bytes: piece, directory } of iterateTiffPieces(bytes, page)) {
    if (countRowBytes(directory, directory.width) * directory.height > MAX_PIECE_BYTES) {
      throw tooLarge(
        `A strip of the picture has ${directory.width} x ${directory.height} pixels, which is too large to decode.`,
      );
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

/**
 * Decodes a strip or tile and passes its rows to `take`, with four bytes per pixel. Rows are converted in
 * groups to save memory.
 */
function decodeRows(
  bytes: Uint8Array,
  directory: TiffDirectory,
  take: (row: number, rgba: Uint8Array) => void,
): void {
  const { width, height } = directory;
  const page = decodePixels(bytes, directory);
  const stride = page.data.length / height;
  if (!Number.isInteger(stride)) throw new Error('its rows differ in length');
  const rows = Math.max(1, Math.floor(PIXELS_PER_CONVERSION / width));
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
  if (width * height > MAX_PAGE_PIXELS)
    throw tooLarge(`The picture has ${width} x ${height} pixels, which is more than ${MAX_PAGE_PIXELS}.`);
  const fault = findTiffFault(directory, bytes.length, MAX_PAGE_PIXELS * 4);
  if (fault) throw broken(`a page cannot be read because ${fault}`);
  const oversized = findStripFault(bytes, directory);
  if (oversized) throw oversized;
  try {
    const stored =
      width * height > MAX_PIXELS ? decodeShrunkPage(bytes, directory) : decodeWholePage(bytes, directory);
    const shown = applyOrientation(toGrayOrRgb(stored), directory.tags.t274?.[0] ?? 1);
    const png = await encodePng(shown);
    return { bytes: png, mimeType: 'image/png', width: shown.width, height: shown.height };
  } catch (error) {
    if (error instanceof ParseError) throw error;
    throw broken(`a page cannot be decoded (${getErrorMessage(error)})`, error);
  }
}

/** Parses TIFF files. Each page of the file is decoded to PNG when it is read. */
export const tiffParser: Parser = {
  async open({ bytes, budget }): Promise<OpenDocument> {
    const directories = readDirectories(bytes, budget);
    if (directories.length === 0) throw broken('it has no page');
    let latest: { index: number; image: EncodedImage } | undefined;
    const getDirectory = (index: number) => {
      const directory = directories[index];
      if (!directory) throw new RangeError(`page ${index} of ${directories.length}`);
      return directory;
    };
    const getImage = async (index: number) => {
      const directory = getDirectory(index);
      if (latest?.index !== index) latest = { index, image: await decodePage(bytes, directory) };
      return latest.image;
    };
    const getPictureName = (index: number) => `page-${index + 1}.png`;
    return {
      pageCount: directories.length,
      metadata: {},
      async readPage(index): Promise<Page> {
        const { tags, width, height } = getDirectory(index);
        const image = await getImage(index);
        // A page that was shrunk keeps its original paper size, so the resolution is adjusted.
        const shrink = Math.sqrt((width * height) / (image.width * image.height));
        const perInch = (tags.t282?.[0] ?? 0) * (tags.t296?.[0] === 3 ? 2.54 : 1);
        const perPixel = perInch >= 36 && perInch <= 2400 ? (72 * shrink) / perInch : undefined;
        return imagePage(
          index,
          getPictureName(index),
          image,
          perPixel ?? (shrink > 1 ? POINTS_PER_PIXEL * shrink : undefined),
        );
      },
      readFigure: async (index, name) => (name === getPictureName(index) ? getImage(index) : undefined),
      renderPage: getImage,
      close() {
        latest = undefined;
      },
    };
  },
};
