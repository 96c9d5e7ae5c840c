import { openDocument } from '#src/formats/registry.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';

/** POST /?name=… with the bytes of a file returns its parsed pages and title, or 422 with the reason. */
export default {
  async fetch(request: Request): Promise<Response> {
    const name = new URL(request.url).searchParams.get('name') ?? 'file';
    try {
      const bytes = new Uint8Array(await request.arrayBuffer());
      const document = await openDocument({ bytes, name, plan: resolveParsePlan({}) });
      try {
        const pages = [];
        for (let index = 0; index < document.pageCount; index++) pages.push(await document.readPage(index));
        if (new URL(request.url).searchParams.has('quiet')) return new Response(String(pages.length));
        return Response.json({ pages, title: document.metadata.title });
      } finally {
        document.close();
      }
    } catch (error) {
      return new Response(getErrorMessage(error), { status: 422 });
    }
  },
};
