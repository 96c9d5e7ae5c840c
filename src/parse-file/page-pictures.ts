import { keys } from '#src/bucket/keys.ts';
import type { EncodedImage, Page } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { PageRange } from '#src/documents/page-selection.ts';
import type { ParsedFile, ParseKey } from '#src/documents/page-store.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import type { ImagesPlan } from '#src/parse/plan.ts';
import { drawInto } from './draw-into.ts';
import { keepImage, SCREENSHOT_DPI } from './keep-image.ts';
import { cutOut } from './layout-images.ts';

/** Puts the wanted pictures of a page into the bucket, where the page image operations look for them. Gives the page, with what was cut out of it. */
export async function storePictures(
  bucket: R2Bucket,
  parse: ParseKey,
  document: OpenDocument,
  page: Page,
  plan: ImagesPlan,
): Promise<Page> {
  const { projectId, contentHash } = parse;
  if (plan.screenshots) {
    await store(bucket, keys.screenshot(projectId, contentHash, page.index), () =>
      document.renderPage?.(page.index, { dpi: SCREENSHOT_DPI }),
    );
  }
  for (const { name, isLikelyNoise } of plan.figures ? page.figures : []) {
    if (isLikelyNoise && !document.unlocked) continue;
    await store(bucket, keys.figure(projectId, contentHash, `${page.index}/${name}`), () =>
      document.readFigure(page.index, name),
    );
  }
  const cut = plan.layout ? await cutOut(document, page).catch(withoutPicture) : undefined;
  if (!cut?.length) return page;
  for (const { described, image } of cut) {
    const key = keys.layoutImage(projectId, contentHash, page.index, described.box);
    await keepImage(bucket, key, image);
  }
  return { ...page, layoutImages: cut.map(({ described }) => described) };
}

/**
 * Of a file that was opened by its password: what all other pictures would be made of when somebody asks for them, as
 * the password is not there any more by then.
 */
export async function storeUnlocked(
  bucket: R2Bucket,
  parse: ParseKey,
  document: OpenDocument & Pick<ParsedFile, 'kind'>,
  range: PageRange,
  pages: readonly Page[],
  plan: ImagesPlan,
  progress: () => Promise<void>,
): Promise<void> {
  const { projectId, contentHash } = parse;
  for (const { index } of pages) {
    if (await bucket.head(keys.screenshot(projectId, contentHash, index))) continue;
    await drawInto(bucket, parse, document, index).catch(withoutPicture);
    await progress();
  }
  if (plan.figures && pages.length === range.to - range.from) {
    const figures = pages.flatMap((page) => page.figures);
    await bucket.put(keys.figureList(projectId, contentHash, range.from), JSON.stringify(figures));
  }
  const { kind, pageCount, metadata } = document;
  const shape: ParsedFile = { kind, pageCount, metadata };
  await bucket.put(keys.unlockedShape(projectId, contentHash), JSON.stringify(shape));
}

/** A picture that cannot be made is no reason to lose the page's text. */
function withoutPicture(error: unknown): undefined {
  if (!(error instanceof ParseError)) throw error;
}

async function store(
  bucket: R2Bucket,
  key: string,
  make: () => Promise<EncodedImage | undefined> | undefined,
): Promise<void> {
  if (await bucket.head(key)) return;
  const image = await make()?.catch(withoutPicture);
  if (image) await keepImage(bucket, key, image);
}
