import { renderForReading } from '#src/formats/pdf/drawing/render.ts';
import { PdfSession } from '#src/formats/pdf/engine/session.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import OcrService from '../../../ocr/worker.ts';
import { createBuiltinOcr } from '../../../src/models/ocr/builtin.ts';

interface Env {
  ASSETS: Fetcher;
}

/**
 * Text that the engine read on the first page of a PDF, and the size of the picture that was drawn for it.
 */
export interface ScanReading {
  text: string;
  width: number;
  height: number;
}

/** Maximum number of pixels of pages drawn for the bench: A4 at 600 dots per inch. */
const MOST_DRAWN = 40_000_000;

async function readScan(
  bytes: Uint8Array,
  parameters: URLSearchParams,
  env: Env,
  execution: ExecutionContext,
) {
  const ocr = createBuiltinOcr(new OcrService(execution, env));
  const session = new PdfSession(bytes, 'drawing');
  try {
    const dpi = Number(parameters.get('dpi') ?? 0);
    const isDrawn = parameters.has('draw');
    const image = await renderForReading(session, 0, {
      fine: parameters.has('fine'),
      maxPixels: isDrawn ? MOST_DRAWN : ocr.maxPixels!,
      ...(dpi > 0 && { dpi }),
    });
    if (isDrawn) return new Response(image.bytes.slice());
    const { text } = await ocr.recognise(image, []);
    const { width, height } = image;
    return Response.json({ text, width, height } satisfies ScanReading);
  } finally {
    session.close();
  }
}

/**
 * POST /?dpi=…&fine with a PDF returns the text that the engine reads. With `draw`, it returns the picture of
 * the first page.
 */
export default {
  async fetch(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
    try {
      const bytes = new Uint8Array(await request.arrayBuffer());
      return await readScan(bytes, new URL(request.url).searchParams, env, execution);
    } catch (error) {
      return new Response(getErrorMessage(error), { status: 422 });
    }
  },
};
