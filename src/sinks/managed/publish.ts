import { DomainError } from '#src/lib/errors.ts';
import type { IndexedChunk, IndexedDocument } from '#src/ports/index-types.ts';
import type { Shard, Staged } from '#src/ports/shard.ts';
import type { WholeDocument } from '#src/ports/sink.ts';
import type { DocumentShards } from './document-shards.ts';

/**
 * Stages chunks of a document in as many shards as they need. Returns false if the version was replaced or
 * removed, so that the chunks were ignored.
 */
export async function stageChunks(
  shards: DocumentShards,
  document: IndexedDocument,
  chunks: IndexedChunk[],
): Promise<boolean> {
  for (;;) {
    const { placed, current } = await shards.stageNext(document, chunks);
    if (placed) return current;
    await shards.continueInNextShard(document);
  }
}

/**
 * Stages the last chunks of a document and publishes its version. Returns whether the version is visible to
 * queries.
 */
export async function publishDocument(
  shards: DocumentShards,
  document: IndexedDocument,
  chunks: IndexedChunk[],
  chunkCount: number,
): Promise<boolean> {
  const { first, last } = await shards.getRange(document.documentId);
  if (first === last) {
    const { placed, current } = await shards.stageNext(document, chunks, chunkCount);
    if (placed) return current;
  }
  await stageChunks(shards, document, chunks);
  return publishStaged(shards, document, chunkCount);
}

/**
 * Publishes whole documents. Documents in the same shard are published in one call. If this fails, or if a
 * document needs several shards, it is published alone.
 */
export async function publishDocuments(
  shards: DocumentShards,
  documents: WholeDocument[],
): Promise<PromiseSettledResult<boolean>[]> {
  await shards.assign(documents.map(({ document }) => document.documentId));
  const ranges = await Promise.all(documents.map(({ document }) => shards.getRange(document.documentId)));
  const byShard = Map.groupBy(documents.keys(), (at) => {
    const { first, last } = ranges[at]!;
    return first === last ? first : 'several';
  });
  const separately = byShard.get('several') ?? [];
  const results: PromiseSettledResult<boolean>[] = [];
  for (const [number, places] of byShard) {
    if (number === 'several') continue;
    const whole = places.map((at) => documents[at]!);
    const seen = await publishToShard(shards, number, whole);
    for (const [i, at] of places.entries()) {
      const isSeen = seen[i];
      if (isSeen === undefined) separately.push(at);
      else results[at] = { status: 'fulfilled', value: isSeen };
    }
  }
  for (const at of separately) {
    const { document, chunks } = documents[at]!;
    const work = publishDocument(shards, document, chunks, chunks.length);
    results[at] = (await Promise.allSettled([work]))[0]!;
  }
  return results;
}

/**
 * Publishes documents that fit into one shard. Returns for each document whether its version is visible to
 * queries, or `undefined` if the shard has no room or rejects it.
 */
async function publishToShard(
  shards: DocumentShards,
  number: number,
  documents: WholeDocument[],
): Promise<(boolean | undefined)[]> {
  const parts = documents.map((each) => ({ ...each, chunkCount: each.chunks.length }));
  const staged = await shards
    .shard(number)
    .stageMany(parts)
    .catch((error: unknown): Staged[] => {
      if (error instanceof DomainError) return [];
      throw error;
    });
  if (staged.some(({ full }) => full)) await shards.replaceOpenShard(number);
  return documents.map((_, at) => (staged[at]?.placed ? staged[at].current : undefined));
}

async function publishStaged(
  shards: DocumentShards,
  { documentId, version }: IndexedDocument,
  chunkCount: number,
): Promise<boolean> {
  const [firstShard, ...others] = await shards.getShards(documentId);
  if (firstShard === undefined) return false;
  const held = await Promise.all(others.map((each) => countChunks(each, documentId, version)));
  const elsewhere = held.reduce((sum, count) => sum + count, 0);
  // Publishing in the first shard makes the version visible. Publishing in the other shards then removes
  // older versions there.
  const whole = elsewhere > 0 ? chunkCount : undefined;
  if (!(await firstShard.publish(documentId, version, chunkCount - elsewhere, whole))) return false;
  await Promise.all(others.map((each, at) => each.publish(documentId, version, held[at]!, 0)));
  return true;
}

async function countChunks(shard: Shard, documentId: string, version: number): Promise<number> {
  const versions = await shard.listVersions(documentId);
  return versions.find((each) => each.version === version)?.chunks ?? 0;
}
