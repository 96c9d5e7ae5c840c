import { call } from '../../api/client.ts';
import type { PickedFile } from '../../uploads/picked.ts';
import { type Upload, type UploadQueue, uploadTitle } from '../../uploads/queue.ts';
import { type TransformDraft, transformConfig } from '../index/transform.ts';

/** What the dialog gathers. */
export interface IndexDraft {
  name: string;
  files: PickedFile[];
  sourceIds: string[];
  transform: TransformDraft;
  /** '': the installation's. */
  embeddingId: string;
  /** '': the managed index. */
  sinkId: string;
}

export interface NotTaken {
  uploadId: number;
  title: string;
  reason: string;
}

/** Makes the index and gives its id. */
export async function makeIndex({ name, transform, embeddingId, sinkId }: IndexDraft): Promise<string> {
  const index = await call('POST /api/v1/pipelines', {
    body: {
      name: name.trim(),
      transform_config: transformConfig(transform),
      ...(embeddingId && { embedding_model_config_id: embeddingId }),
      ...(sinkId && { data_sink_id: sinkId }),
    },
  });
  return index.id;
}

/**
 * Uploads files and adds them to the index meanwhile. Resolves when all of them are added or have failed, with those that
 * are not in the index.
 */
export async function fillIndex(queue: UploadQueue): Promise<NotTaken[]> {
  await queue.settle();
  const uploads = queue.uploads();
  queue.dismiss(uploads.filter(({ state }) => state === 'done').map(({ id }) => id));
  return uploads
    .filter(({ state }) => state !== 'done')
    .map((upload) => ({ uploadId: upload.id, title: uploadTitle(upload), reason: describeReason(upload) }));
}

function describeReason({ state, path, error }: Upload): string {
  if (state === 'duplicate' && path !== undefined) {
    return 'A file with this path is in the project. Trying again replaces its contents.';
  }
  if (state === 'duplicate') return 'Another file of this name was chosen too.';
  if (state === 'cancelled') return 'The upload was cancelled.';
  return error instanceof Error ? error.message : String(error);
}

export async function addSources(id: string, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await call('PUT /api/v1/pipelines/{pipeline_id}/data-sources', {
    params: { pipeline_id: id },
    body: sourceIds.map((source) => ({ data_source_id: source })),
  });
}
