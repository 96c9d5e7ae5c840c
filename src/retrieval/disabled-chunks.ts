import type { DisabledChunks, StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';

/** Adds disabled chunks to an opened index. Its searches leave them out in every kind of store. */
export function leaveOutDisabled<Opened extends { sink: Sink }>(
  opened: Opened,
  disabled: DisabledChunks[],
): Opened & { isDisabled: (chunk: StoredChunk) => boolean } {
  if (disabled.length === 0) return { ...opened, isDisabled: () => false };
  const hashes = new Map(disabled.map((each) => [each.documentId, new Set(each.hashes)]));
  const { sink } = opened;
  return {
    ...opened,
    sink: { ...sink, query: (query) => sink.query({ ...query, disabled }) },
    isDisabled: ({ documentId, hash }) => hashes.get(documentId)?.has(hash) ?? false,
  };
}
