import { eq, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { Embedder } from '#src/ports/embedder.ts';

/**
 * The same embedder, whose vectors are those of one index: the first one that is made for it decides their dimension.
 * `embed` rejects with Conflict when the model gives others, before a store or a ranking sees them.
 */
export function heldToIndex(ctx: Context, index: PipelineIndex, embedder: Embedder): Embedder {
  let known = index.dimension;
  return {
    modelId: embedder.modelId,
    get dimension() {
      return known ?? embedder.dimension;
    },
    async embed(texts, purpose, signal) {
      const vectors = await embedder.embed(texts, purpose, signal);
      const given = vectors[0]?.length;
      if (given === undefined || given === known) return vectors;
      // The vector of a query does not stay in the index.
      if (known === null && purpose === 'document') known = await decide(ctx, index, given);
      if (known !== null && known !== given) throw otherDimension(embedder, known, given);
      return vectors;
    },
  };
}

/** The dimension of the index from now on, whoever was first. */
async function decide(ctx: Context, { id }: PipelineIndex, given: number): Promise<number> {
  const [row] = await ctx.db
    .update(pipelineIndexes)
    .set({ dimension: sql`coalesce(${pipelineIndexes.dimension}, ${given})` })
    .where(eq(pipelineIndexes.id, id))
    .returning({ dimension: pipelineIndexes.dimension });
  return row?.dimension ?? given;
}

function otherDimension({ modelId }: Embedder, known: number, given: number): Conflict {
  const what = `the index holds vectors of ${known} dimensions, and ${modelId} gives ${given}`;
  return new Conflict(
    `embedding_config: ${what}. A changed embedding_config is given a new index by a sync.`,
  );
}
