import { openDocument } from '#src/formats/registry.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { createBuiltinOcr } from '#src/models/ocr/builtin.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readScannedPage } from '#src/parse-file/scanned-page.ts';
import OcrService from '../../../ocr/worker.ts';

interface Env {
  ASSETS: Fetcher;
}

/** POST /?name=… with the bytes of a picture returns its pages with the text that the OCR engine read. */
export default {
  async fetch(request: Request, env: Env, execution: ExecutionContext): Promise<Response> {
    const name = new URL(request.url).searchParams.get('name') ?? 'file';
    try {
      const ocr = createBuiltinOcr(new OcrService(execution, env));
      const plan = resolveParsePlan({});
      const bytes = new Uint8Array(await request.arrayBuffer());
      const document = await openDocument({ bytes, name, plan });
      try {
        const pages = [];
        for (let index = 0; index < document.pageCount; index++) {
          const page = await document.readPage(index);
          pages.push(await readScannedPage(document, page, ocr, plan.ocr, plan.tables));
        }
        return Response.json({ pages });
      } finally {
        document.close();
      }
    } catch (error) {
      return new Response(getErrorMessage(error), { status: 422 });
    }
  },
};
