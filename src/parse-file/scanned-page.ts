import type { Block, EncodedImage, Page, Word } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';
import type { DrawingOptions, OpenDocument } from '#src/formats/shared/open-document.ts';
import { cropPng } from '#src/images/crop-png.ts';
import type { OcrPlan } from '#src/parse/plan.ts';
import { type Ocr, type Recognition, Unreadable } from '#src/ports/ocr.ts';
import { completePage, isMostlyExtracted } from './complete-text.ts';
import { reduced } from './reduce-image.ts';

/** Dots an inch for engines that do not say how large a picture they take: these scale pictures themselves. */
const DPI = 200;
const HIGH_DPI = 300;

/** How a page is drawn for an engine. */
export const drawingFor = ({ mostPixels }: Ocr, fine: boolean): DrawingOptions => ({
  dpi: fine ? HIGH_DPI : DPI,
  ...(mostPixels !== undefined && { reading: { fine, mostPixels } }),
});

/** Returns whether an OCR engine has to read the page. */
export const wantsOcr = (page: Page, plan: OcrPlan): boolean => page.needsOcr === true && plan.enabled;

/** The page with what the engine reads in it; the page as it was when nothing in it can be shown or read. */
export async function readScannedPage(
  document: OpenDocument,
  page: Page,
  ocr: Ocr,
  plan: OcrPlan,
): Promise<Page> {
  const picture = await drawnOrReason(document, page, drawingFor(ocr, plan.highResolution));
  if (!picture) return page;
  if (typeof picture === 'string') return { ...page, notDrawn: picture };
  try {
    const image = await fitted(await cutTo(page, picture), ocr);
    const recognition = await ocr.recognise(image, plan.languages);
    return page.unmapped
      ? await withMissingText(document, page, image, recognition)
      : withText(page, image, recognition);
  } catch (error) {
    if (error instanceof Unreadable) return page;
    throw error;
  }
}

/**
 * The page with what the engine read of characters that have no Unicode value. The page stays marked if the engine
 * finds nothing: its text layer says that there is something.
 */
async function withMissingText(
  document: OpenDocument,
  page: Page,
  image: EncodedImage,
  recognition: Recognition,
): Promise<Page> {
  if (recognition.text.trim() === '') return page;
  const { unmapped: areas = [], ...base } = await document.readPage(page.index, undefined, {
    mappedOnly: true,
  });
  // The engine has read what the text layer does not say.
  const { omissions, ...rest } = base;
  const left = omissions?.filter(({ kind }) => kind !== 'characters_without_unicode') ?? [];
  const complete = left.length > 0 ? { ...rest, omissions: left } : rest;
  if (!isMostlyExtracted(page)) return withText(complete, image, recognition);
  const { needsOcr: _, ...read } = completePage(complete, areas, image, recognition, blocksOf(recognition));
  const { confidence } = recognition;
  return { ...read, ocr: confidence === undefined ? {} : { confidence: round(confidence) } };
}

/** The part of the page that is to be read. Pages that are drawn are PNGs. */
async function cutTo({ area, width, height }: Page, picture: EncodedImage): Promise<EncodedImage> {
  if (!area || picture.mimeType !== 'image/png') return picture;
  const [across, down] = [picture.width / width, picture.height / height];
  const part = { x: area.x * across, y: area.y * down, width: area.w * across, height: area.h * down };
  const [cut] = await cropPng(picture.bytes, [part]);
  return cut ? { ...cut, mimeType: 'image/png' } : picture;
}

/** The picture, smaller where the engine would not take it. */
export async function fitted(picture: EncodedImage, { mostPixels = Infinity }: Ocr): Promise<EncodedImage> {
  if (picture.width * picture.height <= mostPixels) return picture;
  try {
    return await reduced(picture);
  } catch (error) {
    if (error instanceof ParseError) throw new Unreadable(error.message, { cause: error });
    throw error;
  }
}

/** The page's picture, or why it cannot be drawn: that is no reason to lose the text that the page has. */
async function drawnOrReason(document: OpenDocument, page: Page, options: DrawingOptions) {
  try {
    return await pictureOf(document, page, options);
  } catch (error) {
    if (error instanceof ParseError) return error.message;
    throw error;
  }
}

/** The page as it looks; a page without a look of its own is its largest picture. */
async function pictureOf(
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
 * Text blocks before the page's own: what was read stands in the pictures that these show. Words that the page had
 * stay, once: the picture shows them too.
 */
export function withText(page: Page, image: EncodedImage, recognition: Recognition): Page {
  const { words, confidence } = recognition;
  const { needsOcr: _, ...rest } = page;
  const read = blocksOf(recognition);
  const found = squeeze(read.map((block) => block.text).join(' '));
  const own = page.blocks.filter((block) => block.text === '' || !found.includes(squeeze(block.text)));
  const blocks = [...read, ...own];
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
  const isNew = (word: Word) => !page.words.some((known) => holdsCenter(known, word));
  const all = [...placed.filter(isNew), ...page.words];
  const ocr = confidence === undefined ? {} : { confidence: round(confidence) };
  return { ...rest, text: join('text'), markdown: join('markdown'), blocks, words: all, ocr };
}

const blocksOf = ({ format, text }: Recognition): Block[] =>
  format === 'markdown' ? splitMarkdown(text) : paragraphsOf(text);

/** Whole words only: a page's number also stands inside other numbers. */
const squeeze = (text: string) => ` ${text.replace(/\s+/g, ' ').trim()} `;

function holdsCenter([, x, y, w, h]: Word, [, left, top, width, height]: Word): boolean {
  const [middleX, middleY] = [left + width / 2, top + height / 2];
  return middleX >= x && middleX <= x + w && middleY >= y && middleY <= y + h;
}

const round = (value: number) => Math.round(value * 100) / 100;

function paragraphsOf(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => ({ type: 'paragraph', ...renderRuns([{ text: paragraph }], { links: false }) }));
}
