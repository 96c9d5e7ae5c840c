import { messageOf } from '#src/errors.ts';
import type { EncodedImage, Page } from './document.ts';
import { ParseError } from './errors.ts';
import { imageHeader } from './image/header.ts';
import { encodePng } from './image/png.ts';
import { type TiffDirectory, tiffDirectories, tiffFault, withoutDeflate } from './image/tiff-directories.ts';
import { turned } from './image/turn.ts';
import { type IFD, UTIF } from './image/utif.ts';
import { imagePage } from './image.ts';
import type { OpenDocument, Parser } from './parser.ts';

/** Decoded pixels take four bytes each, twice while they are converted. */
const MAX_PIXELS = 12_000_000;

const broken = (detail: string, cause?: unknown) =>
  new ParseError('FILE_IS_BROKEN', `The picture is damaged: ${detail}.`, cause);

const tooLarge = (message: string) => new ParseError('DOCUMENT_TOO_LARGE', message);

function readDirectories(bytes: Uint8Array): TiffDirectory[] {
  try {
    return tiffDirectories(bytes);
  } catch (error) {
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

function decodePixels(bytes: Uint8Array, directory: TiffDirectory): Uint8Array {
  const source = withoutDeflate(bytes, directory);
  // UTIF types its own result only; it decodes any record of tags into it.
  const page = { ...source.page.tags } as unknown as IFD;
  const buffer = source.bytes.slice().buffer;
  UTIF.decodeImage(buffer, page);
  const isInk = directory.tags.t262?.[0] === 5;
  return isInk ? fromInk(page.data, directory) : UTIF.toRGBA8(page);
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

/** Gray where it is gray: a scanned page is a third of the size. */
function withoutAlpha(rgba: Uint8Array, pixels: number): { channels: 1 | 3; data: Uint8Array } {
  let gray = true;
  for (let at = 0; at < pixels * 4 && gray; at += 4) {
    gray = rgba[at] === rgba[at + 1] && rgba[at] === rgba[at + 2];
  }
  const channels = gray ? 1 : 3;
  const data = new Uint8Array(pixels * channels);
  for (let pixel = 0; pixel < pixels; pixel++) {
    for (let channel = 0; channel < channels; channel++) {
      data[pixel * channels + channel] = rgba[pixel * 4 + channel]!;
    }
  }
  return { channels, data };
}

async function decodePage(bytes: Uint8Array, directory: TiffDirectory): Promise<EncodedImage> {
  const { width, height } = directory;
  if (width * height > MAX_PIXELS) throw tooLarge(`The picture has ${width} x ${height} pixels.`);
  const fault = tiffFault(directory, bytes.length, MAX_PIXELS * 4);
  if (fault) throw broken(`a page cannot be read because ${fault}`);
  const oversized = stripFault(bytes, directory);
  if (oversized) throw oversized;
  try {
    const rgba = decodePixels(bytes, directory);
    if (rgba.length < width * height * 4) throw new Error('it holds fewer pixels than it declares');
    const stored = { width, height, ...withoutAlpha(rgba, width * height) };
    const shown = turned(stored, directory.tags.t274?.[0] ?? 1);
    const png = await encodePng(shown);
    return { bytes: png, mimeType: 'image/png', width: shown.width, height: shown.height };
  } catch (error) {
    throw broken(`a page cannot be decoded (${messageOf(error)})`, error);
  }
}

/** TIFF: every page of the file is a page, decoded when it is read and given as PNG. */
export const tiffParser: Parser = {
  async open({ bytes }): Promise<OpenDocument> {
    const directories = readDirectories(bytes);
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
        const { tags } = directoryOf(index);
        const perInch = (tags.t282?.[0] ?? 0) * (tags.t296?.[0] === 3 ? 2.54 : 1);
        const perPixel = perInch >= 36 && perInch <= 2400 ? 72 / perInch : undefined;
        return imagePage(index, nameOf(index), await imageOf(index), perPixel);
      },
      readFigure: async (index, name) => (name === nameOf(index) ? imageOf(index) : undefined),
      renderPage: imageOf,
      close() {
        latest = undefined;
      },
    };
  },
};
