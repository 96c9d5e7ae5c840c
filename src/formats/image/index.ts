import type { EncodedImage, Figure, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { readImageHeader } from '#src/images/header.ts';
import { inMemoryDocument } from '../shared/flow/in-memory.ts';
import type { Parser } from '../shared/parser.ts';

/**
 * Size of a pixel in points, at 96 pixels per inch. The resolution that picture files state is not reliable.
 */
export const POINTS_PER_PIXEL = 72 / 96;
const MAX_PIXELS = 268_435_456;

/** Creates a page that consists of one picture. The text of the picture has to be read by OCR. */
export function imagePage(
  index: number,
  name: string,
  image: EncodedImage,
  pointsPerPixel = POINTS_PER_PIXEL,
): Page {
  const width = image.width * pointsPerPixel;
  const height = image.height * pointsPerPixel;
  const figure: Figure = {
    name,
    pageIndex: index,
    box: { x: 0, y: 0, w: width, h: height },
    width: image.width,
    height: image.height,
    byteSize: image.bytes.length,
    mimeType: image.mimeType,
    confidence: 1,
    isLikelyNoise: false,
  };
  const markdown = `![](${name})`;
  return {
    index,
    label: String(index + 1),
    width,
    height,
    text: '',
    markdown,
    blocks: [{ type: 'figure', text: '', markdown, box: figure.box! }],
    words: [],
    links: [],
    figures: [figure],
    needsOcr: true,
  };
}

export const imageParser: Parser = {
  async open({ bytes }) {
    const header = readImageHeader(bytes);
    if (!header) throw new ParseError('FILE_IS_BROKEN', 'The picture is damaged: its size cannot be read.');
    if (header.width * header.height > MAX_PIXELS) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `The picture has ${header.width} x ${header.height} pixels, which is more than ${MAX_PIXELS}.`,
      );
    }
    const image: EncodedImage = { bytes, ...header };
    const name = `image-1.${header.mimeType.slice(6).replace('jpeg', 'jpg')}`;
    return {
      ...inMemoryDocument([imagePage(0, name, image)], {}, new Map([[name, image]])),
      renderPage: async () => image,
    };
  },
};
