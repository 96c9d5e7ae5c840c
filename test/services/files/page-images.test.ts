import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { listFigures } from '#src/services/files/figures.ts';
import { getScreenshot, listScreenshots } from '#src/services/files/page-images.ts';
import { getPresignedFile } from '#src/services/files/presigned.ts';
import { buildPdf, solidImage, text } from '#test/fixtures/pdf.ts';
import { upload } from '#test/support/client.ts';

const ctx = createContext(env, { waitUntil() {} });

const uploadDocument = async (pages: number) => {
  const bytes = buildPdf({
    pages: Array.from({ length: pages }, (_, index) => ({
      content: `${text(72, 700, `Page ${index} of ${crypto.randomUUID()}`)}q 90 0 0 90 72 400 cm /Im0 Do Q`,
      images: [solidImage(40, 40, [index, 90, 200])],
    })),
  });
  return getPresignedFile(ctx, await upload('long.pdf', bytes));
};

describe('listing pictures within a time budget', () => {
  it('lists every page, and says which pages have not been rendered yet', async () => {
    const file = await uploadDocument(3);
    const sizes = async (budget?: number) =>
      (await listScreenshots(ctx, file, budget)).map(({ size, metadata }) => [
        size !== undefined,
        metadata.rendered,
      ]);
    expect(await sizes(0)).toEqual([
      [false, false],
      [false, false],
      [false, false],
    ]);
    await getScreenshot(ctx, file, 1);
    expect(await sizes(0)).toEqual([
      [false, false],
      [true, true],
      [false, false],
    ]);
    expect((await sizes()).flat()).toEqual(Array(6).fill(true));
    expect((await sizes(0)).flat()).toEqual(Array(6).fill(true));
  });

  it('fails with a retryable error for figures, and continues on the next call', async () => {
    const file = await uploadDocument(34);
    await expect(listFigures(ctx, file, undefined, 0)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
    expect(await listFigures(ctx, file, 33)).toHaveLength(1);
    expect(await listFigures(ctx, file, 32, 0)).toHaveLength(1);
    await expect(listFigures(ctx, file, undefined, 0)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await listFigures(ctx, file)).toHaveLength(34);
    expect(await listFigures(ctx, file, undefined, 0)).toHaveLength(34);
  });
});
