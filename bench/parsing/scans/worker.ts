/// <reference types="@cloudflare/workers-types" />

import { renderForReading } from '#src/formats/pdf/drawing/render.ts';
import { PdfSession } from '#src/formats/pdf/engine/session.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import OcrService from '../../../ocr/worker.ts';
import { createBuiltinOcr } from '../../../src/models/ocr/builtin.ts';

interface Env {
  ASSETS: Fetcher;
}

/** What the engine read of the first page of a PDF, and the size of the picture that was drawn for it. */
export interface ScanReading {
  text: string;
  width: number;
  height: number;
}

/** A picture of the size of A4 in 600 dots an inch is drawn for the bench itself. */
const MOST_DRAWN = 40_000_000;

async function readScan(bytes: Uint8Array, asked: URLSearchParams, env: Env, execution: ExecutionContext) {
  const ocr = createBuiltinOcr(new OcrService(execution, env));
  const session = new PdfSession(bytes, 'drawing');
  try {
    const dpi = Number(asked.get('dpi') ?? 0);
    const isDrawn = asked.has('draw');
    const image = await renderForReading(session, 0, {
      fine: asked.has('fine'),
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

/** POST /?dpi=…&fine with a PDF answers what the engine reads; with `draw` the picture of its first page. */
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
