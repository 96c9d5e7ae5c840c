import type { EncodedImage, Omission, Page, Word } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { TableOptions } from '#src/documents/markdown/render-table.ts';
import type { DrawingOptions, OpenDocument } from '#src/formats/shared/open-document.ts';
import { cropPng } from '#src/images/crop-png.ts';
import type { OcrPlan } from '#src/parse/plan.ts';
import { type Ocr, type Recognition, Unreadable } from '#src/ports/ocr.ts';
import { completePage, isMostlyExtracted } from './complete-text.ts';
import { toBlocks } from './recognized-blocks.ts';
import { reduceImage } from './reduce-image.ts';

/**
 * Resolution in dots per inch for OCR engines that declare no maximum picture size. Such engines scale
 * pictures themselves.
 */
const DPI = 200;
const HIGH_DPI = 300;

export const buildDrawingOptions = ({ maxPixels }: Ocr, fine: boolean): DrawingOptions => ({
  dpi: fine ? HIGH_DPI : DPI,
  ...(maxPixels !== undefined && { reading: { fine, maxPixels } }),
});

export const wantsOcr = (page: Page, plan: OcrPlan): boolean => page.needsOcr === true && plan.enabled;

/**
 * Reads a page by OCR. Returns the page unchanged if it has no picture or the engine cannot read it. If the
 * page cannot be drawn, `notDrawn` states the reason.
 */
export async function readScannedPage(
  document: OpenDocument,
  page: Page,
  ocr: Ocr,
  plan: OcrPlan,
  tables: TableOptions = {},
): Promise<Page> {
  const picture = await drawOrExplain(document, page, buildDrawingOptions(ocr, plan.highResolution));
  if (!picture) return page;
  if (typeof picture === 'string') return { ...page, notDrawn: picture };
  try {
    const image = await fitToEngine(await cropToArea(page, picture), ocr);
    const recognition = await ocr.recognise(image, plan.languages);
    return page.unmapped
      ? await addMissingText(document, page, image, recognition)
      : addRecognizedText(page, image, recognition, tables);
  } catch (error) {
    if (error instanceof Unreadable) return { ...page, notRead: error.message };
    throw error;
  }
}

/**
 * Adds the text that OCR recognized for characters without a Unicode value. If OCR finds no text, the page
 * stays marked as unread, because its text layer proves that there is some.
 */
async function addMissingText(
  document: OpenDocument,
  page: Page,
  image: EncodedImage,
  recognition: Recognition,
): Promise<Page> {
  if (recognition.text.trim() === '') return page;
  const { unmapped: areas = [], ...base } = await document.readPage(page.index, undefined, {
    mappedOnly: true,
  });
  // OCR has read the characters that this omission reports as missing, so the omission is removed.
  const { omissions, ...rest } = base;
  const left = omissions?.filter(({ kind }) => kind !== 'characters_without_unicode') ?? [];
  const complete = left.length > 0 ? { ...rest, omissions: left } : rest;
  if (!isMostlyExtracted(page)) return addRecognizedText(complete, image, recognition);
  const { needsOcr: _, ...read } = completePage(complete, areas, image, recognition, toBlocks(recognition));
  const { confidence } = recognition;
  return { ...read, ocr: confidence === undefined ? {} : { confidence: round(confidence) } };
}

/**
 * Crops the picture to the area of the page that OCR has to read. Only PNGs are cropped, because drawn pages
 * are PNGs.
 */
async function cropToArea({ area, width, height }: Page, picture: EncodedImage): Promise<EncodedImage> {
  if (!area || picture.mimeType !== 'image/png') return picture;
  const [across, down] = [picture.width / width, picture.height / height];
  const part = { x: area.x * across, y: area.y * down, width: area.w * across, height: area.h * down };
  const [cut] = await cropPng(picture.bytes, [part]);
  return cut ? { ...cut, mimeType: 'image/png' } : picture;
}

/**
 * Returns the picture, scaled down if it is too large for the engine. Throws Unreadable if it cannot be
 * scaled.
 */
export async function fitToEngine(
  picture: EncodedImage,
  { maxPixels = Infinity }: Ocr,
): Promise<EncodedImage> {
  if (picture.width * picture.height <= maxPixels) return picture;
  try {
    return await reduceImage(picture);
  } catch (error) {
    if (error instanceof ParseError) throw new Unreadable(error.message, { cause: error });
    throw error;
  }
}

/**
 * Returns the picture of the page, or the reason why the page cannot be drawn. In that case the page keeps
 * the text that it has.
 */
async function drawOrExplain(document: OpenDocument, page: Page, options: DrawingOptions) {
  try {
    return await readPagePicture(document, page, options);
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

/**
 * Returns a picture of the page. For formats without a fixed layout, this is the largest figure of the page.
 */
async function readPagePicture(
  document: OpenDocument,
  page: Page,
  options: DrawingOptions,
): Promise<EncodedImage | undefined> {
  const seen = await (document.renderPage ?? document.scan)?.(page.index, options);
  if (seen) return seen;
  const [largest] = page.figures
    .filter((figure) => !figure.isLikelyNoise)
    .sort((a, b) => b.width * b.height - a.width * a.height);
  return largest && document.readFigure(page.index, largest.name);
}

/**
 * Adds recognized text to a page. Its blocks come before the page's own blocks, and repeated text is included
 * only once.
 */
export function addRecognizedText(
  page: Page,
  image: EncodedImage,
  recognition: Recognition,
  tables: TableOptions = {},
): Page {
  const { words, confidence } = recognition;
  const { needsOcr: _, ...rest } = page;
  const readBlocks = toBlocks(recognition, tables);
  const found = normalizeSpaces(readBlocks.map((block) => block.text).join(' '));
  const own = page.blocks.filter(
    (block) => block.text === '' || !found.includes(normalizeSpaces(block.text)),
  );
  const blocks = [...readBlocks, ...own];
  const join = (part: 'text' | 'markdown') =>
    blocks
      .map((block) => block[part])
      .filter((each) => each !== '')
      .join('\n\n');
  const shown = page.area ?? { x: 0, y: 0, w: page.width, h: page.height };
  const [scaleX, scaleY] = [shown.w / image.width, shown.h / image.height];
  const placed = words.map(({ text, box, confidence }): Word => {
    const [x, w] = [shown.x + box.x * scaleX, box.w * scaleX].map(round) as [number, number];
    const [y, h] = [shown.y + box.y * scaleY, box.h * scaleY].map(round) as [number, number];
    return confidence === undefined ? [text, x, y, w, h] : [text, x, y, w, h, round(confidence)];
  });
  const isNew = (word: Word) => !page.words.some((known) => containsCenter(known, word));
  const all = [...placed.filter(isNew), ...page.words];
  const ocr = confidence === undefined ? {} : { confidence: round(confidence) };
  const read = { ...rest, text: join('text'), markdown: join('markdown'), blocks, words: all, ocr };
  const omissions = [...(rest.omissions ?? []), ...listOmissions(recognition)];
  return omissions.length > 0 ? { ...read, omissions } : read;
}

/** Minimum number of letters without a clear reading that are reported. Fewer are mostly specks. */
const MIN_DOUBTFUL = 10;

function listOmissions({ advice, doubtful = 0, isCutShort }: Recognition): Omission[] {
  const omissions: Omission[] = [];
  if (advice) omissions.push({ kind: 'language_without_model', message: advice });
  if (doubtful >= MIN_DOUBTFUL) {
    const message = `About ${doubtful} characters of the picture were recognized with too low confidence and left out.`;
    omissions.push({ kind: 'doubtful_text', message });
  }
  if (isCutShort) {
    const message =
      'Reading the picture took too long, so it was read in fewer ways than usual. Text may be missing.';
    omissions.push({ kind: 'doubtful_text', message });
  }
  return omissions;
}

/** Normalizes white space and adds a space at both ends, so that only whole words match. */
const normalizeSpaces = (text: string) => ` ${text.replace(/\s+/g, ' ').trim()} `;

function containsCenter([, x, y, w, h]: Word, [, left, top, width, height]: Word): boolean {
  const [middleX, middleY] = [left + width / 2, top + height / 2];
  return middleX >= x && middleX <= x + w && middleY >= y && middleY <= y + h;
}

const round = (value: number) => Math.round(value * 100) / 100;
