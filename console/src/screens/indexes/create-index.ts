import { call } from '../../api/client.ts';
import { t } from '../../i18n/messages.ts';
import type { PickedFile } from '../../uploads/picked.ts';
import { type Upload, type UploadQueue, uploadTitle } from '../../uploads/queue.ts';
import { type TransformDraft, toTransformConfig } from '../index/transform.ts';

/** Values that the user enters in the dialog for a new index. */
export interface IndexDraft {
  name: string;
  files: PickedFile[];
  sourceIds: string[];
  transform: TransformDraft;
  /** Id of a saved embedding model. Empty for the model of the installation. */
  embeddingId: string;
  /** Id of a vector store. Empty for the managed index. */
  sinkId: string;
}

export interface FailedUpload {
  uploadId: number;
  title: string;
  reason: string;
}

export async function createIndex({ name, transform, embeddingId, sinkId }: IndexDraft): Promise<string> {
  const index = await call('POST /api/v1/pipelines', {
    body: {
      name: name.trim(),
      transform_config: toTransformConfig(transform),
      ...(embeddingId && { embedding_model_config_id: embeddingId }),
      ...(sinkId && { data_sink_id: sinkId }),
    },
  });
  return index.id;
}

/**
 * Waits until all files have been uploaded and added to the index. Resolves with the files that could not be
 * added.
 */
export async function fillIndex(queue: UploadQueue): Promise<FailedUpload[]> {
  await queue.waitUntilSettled();
  const uploads = queue.uploads();
  queue.dismiss(uploads.filter(({ state }) => state === 'done').map(({ id }) => id));
  return uploads
    .filter(({ state }) => state !== 'done')
    .map((upload) => ({ uploadId: upload.id, title: uploadTitle(upload), reason: describeReason(upload) }));
}

function describeReason({ state, path, error }: Upload): string {
  if (state === 'duplicate' && path !== undefined) {
    return t('A file with this path already exists in the project. Trying again replaces its contents.');
  }
  if (state === 'duplicate') return t('Another file with this name was chosen as well.');
  if (state === 'cancelled') return t('The upload was cancelled.');
  return error instanceof Error ? error.message : String(error);
}

export async function addSources(id: string, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await call('PUT /api/v1/pipelines/{pipeline_id}/data-sources', {
    params: { pipeline_id: id },
    body: sourceIds.map((source) => ({ data_source_id: source })),
  });
}
