import { FakeRanker } from '#test/suites/reranker.suite.ts';
import { VendorSession } from '#test/vendors/client.ts';
import type { Mount } from '#test/vendors/protocol.ts';

interface Asked {
  query: string;
  documents: string[];
  topN: number;
}

const isPlace = (value: unknown): value is { index: unknown; score: unknown } =>
  typeof value === 'object' && value !== null && 'index' in value;

/** Returns a ranking model behind the vendor server, which validates requests and writes answers. */
export function vendorRanker(mount: Mount, read: (body: unknown) => Asked) {
  const model = new FakeRanker();
  const problems: string[] = [];

  async function serve(request: Request): Promise<Response> {
    const { query, documents, topN } = read(await request.clone().json());
    const said = await model.rank(query, documents, topN).then(
      (told) => told,
      () => undefined,
    );
    if (said === undefined) return new Response('{"message":"out of capacity"}', { status: 503 });
    const ranking = Array.isArray(said) ? said.filter(isPlace) : said;
    const session = await VendorSession.open([{ ...mount, settings: { ...mount.settings, ranking } }]);
    // Invalid model answers do not match the description and are not validated.
    if (model.wasTroubled) await session.fail({ kind: 'own', name: 'nonsense' });
    const answer = await session.fetch(request);
    const { seen, mistakes } = await session.end();
    problems.push(...mistakes, ...seen.flatMap(({ refused }) => refused ?? []));
    return answer;
  }

  return { model, serve, problems };
}
