import type { SweepCandidate, SweepVariant } from '#src/db/schema/index.ts';
import { Invalid } from '#src/lib/errors.ts';
import { MAX_CANDIDATES, MAX_VARIANTS, type NewSweep } from './input.ts';

const DEFAULT_ALPHAS = [0, 0.25, 0.5, 0.75, 1];

type Space = Pick<NewSweep, 'alphas' | 'reranking' | 'top_ks' | 'chunk_sizes' | 'embedding_model_config_ids'>;

export interface Candidates {
  variants: SweepVariant[];
  /** The first candidate has the current settings. */
  candidates: SweepCandidate[];
}

/** Returns all combinations of the settings to try. Throws Invalid if there are too many. */
export function buildCandidates(space: Space): Candidates {
  const variants = buildVariants(space);
  const parameters = buildParameters(space);
  const places = [null, ...variants.keys()];
  const count = 1 + parameters.length * places.length;
  if (variants.length > MAX_VARIANTS) {
    const message = `must make at most ${MAX_VARIANTS} copies of the pipeline together with embedding_model_config_ids, not ${variants.length}`;
    throw Invalid.field(['chunk_sizes'], message);
  }
  if (count > MAX_CANDIDATES) {
    const message = `must make at most ${MAX_CANDIDATES} combinations together with the other settings, not ${count}`;
    throw Invalid.field(['alphas'], message);
  }
  const combined = places.flatMap((variant) =>
    parameters.map(
      (each): SweepCandidate => ({
        name: describe(each, variant === null ? {} : variants[variant]!),
        parameters: { ...each },
        variant,
      }),
    ),
  );
  return { variants, candidates: [{ name: 'current settings', parameters: {}, variant: null }, ...combined] };
}

function buildVariants({ chunk_sizes, embedding_model_config_ids }: Space): SweepVariant[] {
  const sizes = [undefined, ...new Set(chunk_sizes ?? [])];
  const embeddings = [undefined, ...new Set(embedding_model_config_ids ?? [])];
  return embeddings
    .flatMap((embedding) =>
      sizes.map((size) => ({
        ...(size !== undefined && { chunk_size: size }),
        ...(embedding !== undefined && { embedding_model_config_id: embedding }),
      })),
    )
    .slice(1);
}

interface Parameters {
  alpha: number;
  enable_reranking: boolean;
  dense_similarity_top_k?: number;
  sparse_similarity_top_k?: number;
}

function buildParameters({ alphas, reranking, top_ks }: Space): Parameters[] {
  const depths = top_ks ? [...new Set(top_ks)] : [undefined];
  return [...new Set(alphas ?? DEFAULT_ALPHAS)].flatMap((alpha) =>
    [...new Set(reranking ?? [true, false])].flatMap((enable_reranking) =>
      depths.map((depth) => ({
        alpha,
        enable_reranking,
        ...(depth !== undefined && { dense_similarity_top_k: depth, sparse_similarity_top_k: depth }),
      })),
    ),
  );
}

function describe(
  { alpha, enable_reranking, dense_similarity_top_k: depth }: Parameters,
  { chunk_size: size, embedding_model_config_id: embedding }: SweepVariant,
): string {
  return [
    `alpha ${alpha}`,
    `reranking ${enable_reranking ? 'on' : 'off'}`,
    ...(depth === undefined ? [] : [`top-k ${depth}`]),
    ...(size === undefined ? [] : [`chunk size ${size}`]),
    ...(embedding === undefined ? [] : [`embedding ${embedding}`]),
  ].join(', ');
}
