import type { Page } from '#src/documents/document.ts';
import { pdfParser } from '#src/formats/pdf/index.ts';
import type { OpenDocument } from '#src/formats/shared/open-document.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import type { PdfDescription, PdfPage } from '#test/fixtures/pdf.ts';
import { buildPdf } from '#test/fixtures/pdf.ts';

export async function withDocument<T>(
  source: Uint8Array | PdfDescription,
  use: (document: OpenDocument) => Promise<T>,
  parameters: ParseParameters = {},
): Promise<T> {
  const bytes = source instanceof Uint8Array ? source : buildPdf(source);
  const document = await pdfParser.open({
    bytes,
    name: 'test.pdf',
    plan: resolveParsePlan(parameters),
    budget: new WorkBudget(),
  });
  try {
    return await use(document);
  } finally {
    document.close();
  }
}

/** Returns the parsed pages of a PDF with the given pages. */
export function readPages(pages: PdfPage[], parameters: ParseParameters = {}): Promise<Page[]> {
  return withDocument(
    { pages },
    async (document) => {
      const read: Page[] = [];
      for (let index = 0; index < document.pageCount; index++) read.push(await document.readPage(index));
      return read;
    },
    parameters,
  );
}

export async function readOne(content: string, parameters: ParseParameters = {}): Promise<Page> {
  return (await readPages([{ content }], parameters))[0]!;
}

export interface DecodedPng {
  width: number;
  height: number;
  channels: number;
  /** Returns the bytes of a pixel. */
  at(x: number, y: number): number[];
}

/** Decodes a PNG with the only filter that the writer uses. Another filter is an error. */
export async function decodePng(png: Uint8Array): Promise<DecodedPng> {
  const view = new DataView(png.buffer, png.byteOffset, png.byteLength);
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const channels = { 0: 1, 2: 3, 6: 4 }[png[25]!]!;
  let at = 8;
  const parts: Uint8Array<ArrayBuffer>[] = [];
  while (at < png.length) {
    const length = view.getUint32(at);
    const type = new TextDecoder().decode(png.subarray(at + 4, at + 8));
    if (type === 'IDAT') parts.push(png.slice(at + 8, at + 8 + length));
    at += length + 12;
  }
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate'));
  const raw = new Uint8Array(await new Response(stream).arrayBuffer());
  const stride = width * channels;
  const pixels = new Uint8Array(stride * height);
  for (let row = 0; row < height; row++) {
    if (raw[row * (stride + 1)] !== 2) throw new Error('unknown filter');
    for (let column = 0; column < stride; column++) {
      const above = row > 0 ? pixels[(row - 1) * stride + column]! : 0;
      pixels[row * stride + column] = raw[row * (stride + 1) + 1 + column]! + above;
    }
  }
  return {
    width,
    height,
    channels,
    at: (x, y) => [...pixels.subarray((y * width + x) * channels, (y * width + x + 1) * channels)],
  };
}
