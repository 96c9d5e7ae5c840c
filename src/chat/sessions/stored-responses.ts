import { and, desc, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { type StoredResponse, storedResponses } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { readPassages } from '#src/services/traces/read.ts';
import { getCorpus, type SearchedParams, toCorpusColumns } from './corpus.ts';

/** Maximum number of characters of a stored response with its conversation. A D1 row holds 2 MB. */
const MAX_CHARACTERS = 400_000;
/** Maximum number of responses that are kept per user. The oldest ones are deleted. */
const MAX_RESPONSES = 1_000;
/** Maximum number of passages to which a conversation may refer. Each of them is looked up when it is read. */
const MAX_PASSAGES = 500;
/** Maximum number of passages that are read at once. */
const PASSAGES_PER_READ = 100;

type Items = StoredResponse['input'];
type PassagePlace = StoredResponse['passages'][number];

/** A response that is about to be stored. */
export interface NewResponse {
  id: string;
  corpus: SearchedParams;
  /** Response whose conversation is continued. */
  previous: StoredResponse | undefined;
  /** Items of the conversation before the response, with those of earlier responses. */
  input: Items;
  response: Record<string, unknown>;
  /** Passages that were found for the answer. */
  found: readonly Omit<PassagePlace, 'hash'>[];
}

/**
 * Stores a response for the caller. Returns false without storing it if it is too long, or if a passage that it may quote
 * is gone meanwhile.
 */
export async function storeResponse(ctx: TenantContext, given: NewResponse): Promise<boolean> {
  const { id, corpus, previous, input, response, found } = given;
  const own = await addHashes(ctx, found);
  if (!own) return false;
  const passages = joinPassages(previous?.passages ?? [], own);
  const size = JSON.stringify(input).length + JSON.stringify(response).length;
  if (size > MAX_CHARACTERS || passages.length > MAX_PASSAGES) return false;
  const searched = await getCorpus(ctx, corpus);
  const insert = ctx.db.insert(storedResponses).values({
    ...{ id, input, response, passages },
    projectId: searched.projectId,
    ...toCorpusColumns(searched),
    userId: ctx.actor.userId,
    previousId: previous?.id ?? null,
  });
  await ctx.db.batch([insert, deleteOldest(ctx)]);
  return true;
}

/** Deletes the oldest responses of the caller. Ids increase over time. */
function deleteOldest(ctx: TenantContext) {
  const isOwn = eq(storedResponses.userId, ctx.actor.userId);
  const newestExcess = ctx.db
    .select({ id: storedResponses.id })
    .from(storedResponses)
    .where(isOwn)
    .orderBy(desc(storedResponses.id))
    .limit(1)
    .offset(MAX_RESPONSES);
  return ctx.db.delete(storedResponses).where(and(isOwn, sql`${storedResponses.id} <= (${newestExcess})`));
}

/**
 * Returns a response that the caller stored. If the document of a passage that the response or an earlier one may quote
 * has changed or is gone, the response is deleted. Throws `NotFound` then, and if the caller stored no such response.
 */
export async function getStoredResponse(ctx: TenantContext, id: string): Promise<StoredResponse> {
  const row = await findOwn(ctx, id);
  for (let from = 0; from < row.passages.length; from += PASSAGES_PER_READ) {
    const places = row.passages.slice(from, from + PASSAGES_PER_READ);
    const read = await readPassages(ctx, places);
    const states = places.map((place) => read.get(place)?.state);
    if (states.includes('gone')) await deleteRow(ctx, row.id);
    if (states.some((state) => state !== 'available')) throw createNotFound(id);
  }
  return row;
}

/** Deletes a response that the caller stored. Responses that continue it stay. */
export async function deleteStoredResponse(ctx: TenantContext, id: string): Promise<void> {
  await deleteRow(ctx, (await findOwn(ctx, id)).id);
}

async function findOwn(ctx: TenantContext, id: string): Promise<StoredResponse> {
  const row = await ctx.db.query.storedResponses.findFirst({
    where: and(
      eq(storedResponses.id, id.replace(/^resp_/, '')),
      eq(storedResponses.userId, ctx.actor.userId),
      // The key of the request may be limited to another project than the one that the response belongs to.
      withinScope(ctx, storedResponses.projectId),
    ),
  });
  if (!row) throw createNotFound(id);
  const { pipelineId, retrieverId } = row;
  // A response from several pipelines names none. Its passages show whether they still exist.
  if (!pipelineId && !retrieverId) return row;
  await getCorpus(ctx, pipelineId ? { pipeline_id: pipelineId } : { retriever_id: retrieverId! }).catch(
    (error) => {
      throw error instanceof NotFound ? createNotFound(id) : error;
    },
  );
  return row;
}

const createNotFound = (id: string) => new NotFound('Response', id);

const deleteRow = (ctx: TenantContext, id: string) =>
  ctx.db.delete(storedResponses).where(eq(storedResponses.id, id));

/** Adds the hashes of the passages' texts. Returns `undefined` if a passage is gone. */
async function addHashes(
  ctx: TenantContext,
  found: NewResponse['found'],
): Promise<PassagePlace[] | undefined> {
  const hashed: PassagePlace[] = [];
  for (let from = 0; from < found.length; from += PASSAGES_PER_READ) {
    const places = found.slice(from, from + PASSAGES_PER_READ);
    const read = await readPassages(ctx, places);
    for (const place of places) {
      const passage = read.get(place);
      if (passage?.state !== 'available') return undefined;
      hashed.push({ ...place, hash: passage.chunk.hash });
    }
  }
  return hashed;
}

function joinPassages(earlier: readonly PassagePlace[], own: readonly PassagePlace[]): PassagePlace[] {
  const all = [...earlier, ...own].map(
    (each) => [`${each.pipeline_id} ${each.chunk_id} ${each.hash}`, each] as const,
  );
  return [...new Map(all).values()];
}
