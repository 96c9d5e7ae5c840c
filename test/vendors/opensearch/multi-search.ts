import { type Answer, Refused, type VendorRequest } from '../behaviour.ts';
import type { Cluster, Product } from './cluster.ts';
import { type Search, search } from './search.ts';

/** Members of the line before each search. */
const HEADER = ['search_type', 'allow_partial_search_results'];

/**
 * Answers several searches, each after a line with its options. The answer has the status 200 even if a search fails.
 */
export function searchSeveral(
  { params, body, text, settings, trouble }: VendorRequest,
  cluster: Cluster,
  product: Product,
  buildError: (status: number, message: string) => unknown,
): Answer {
  if (!text.endsWith('\n'))
    throw new Refused({ status: 400, message: 'The msearch request must be terminated by a newline [\\n]' });
  const lines = body as Record<string, unknown>[];
  const headers = lines.filter((_, at) => at % 2 === 0);
  const unknown = headers.flatMap((each) => Object.keys(each)).find((name) => !HEADER.includes(name));
  if (unknown !== undefined) {
    const message = `key [${unknown}] is not supported in the metadata section`;
    throw new Refused({ status: 400, message });
  }
  const allowsExpensive = settings.allowsExpensive !== false;
  const responses = headers.slice(0, Math.floor(lines.length / 2)).map((_, at) => {
    try {
      if (trouble?.startsWith('busy')) {
        throw new Refused({ status: Number(trouble.slice('busy '.length)), message: 'the queue is full' });
      }
      const found = search(cluster.get(params.index!), lines[2 * at + 1] as Search, product, allowsExpensive);
      const shards = { total: 2, successful: 1, skipped: 0, failed: 1 };
      return { ...found, ...(trouble === 'a part' && { _shards: shards }), status: 200 };
    } catch (error) {
      if (error instanceof Refused) return buildError(error.status, error.message);
      throw error;
    }
  });
  return { body: { took: 1, responses: trouble === 'lost results' ? responses.slice(1) : responses } };
}
