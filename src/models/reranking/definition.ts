import type { z } from 'zod';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import type { ModelDefinition, ModelDeps } from '#src/models/definition/definition.ts';
import type { Reranker } from '#src/ports/reranker.ts';

export interface RerankerCapabilities {
  /** Maximum number of candidates that a reranker accepts per query. */
  maxCandidates: number;
}

export type RerankerDefinition<Kind extends string = string> = ModelDefinition<
  Kind,
  RerankerCapabilities,
  Reranker
> & { readonly settings: z.ZodObject };

export function defineReranker<const Kind extends string, Shape extends z.ZodObject>(driver: {
  kind: Kind;
  className: string;
  settings: Shape;
  capabilities: RerankerCapabilities;
  open(settings: z.output<Shape>, deps: ModelDeps): Reranker;
}) {
  const open = (value: unknown, deps: ModelDeps) =>
    driver.open(parseInput(driver.settings, value, ['reranking']), deps);
  return {
    ...driver,
    open,
    check: async (value: unknown, deps: ModelDeps) => testReranker(open(value, deps)),
  };
}

/** Tests a reranker with two texts, one of which answers the query. Returns a description of the result. */
async function testReranker(reranker: Reranker): Promise<string> {
  const candidate = (id: string, text: string) => ({ id, text, headings: [], title: '', score: 1 });
  const texts = [
    candidate('lighthouse', 'The lighthouse is white.'),
    candidate('ferry', 'The ferry is green.'),
  ];
  const [best] = await reranker.rerank('What colour is the ferry?', texts);
  return `${reranker.modelId} answers. It ranked the ${best!.id} first.`;
}
