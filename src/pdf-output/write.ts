import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { Flow, type PlacedImage } from './flow.ts';
import { Fonts } from './fonts.ts';
import { imageObject } from './images.ts';
import { number, PdfObjects, textString } from './objects.ts';
import { Sheet } from './sheet.ts';

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
