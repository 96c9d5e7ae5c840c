import { call, send } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import { type TransformDraft, transformConfig } from '../index/transform.ts';

/** What the dialog gathers. */
export interface IndexDraft {
  name: string;
  files: File[];
  sourceIds: string[];
  transform: TransformDraft;
  /** '': the installation's. */
  embeddingId: string;
  /** '': the managed index. */
  sinkId: string;
}

export interface NotTaken {
  file: File;
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

/** Uploads files one after the other and puts them into the index. One that is not taken keeps no other from it. */
export async function fillIndex(
  id: string,
  files: readonly File[],
  onFile: (position: number) => void,
): Promise<NotTaken[]> {
  const failed: NotTaken[] = [];
  const taken: { file_id: string }[] = [];
  for (const [position, file] of files.entries()) {
    onFile(position);
    const form = new FormData();
    form.append('upload_file', file, file.name);
    try {
      const answer = await send({ method: 'POST', path: '/api/v1/files', body: form });
      taken.push({ file_id: (answer as { id: string }).id });
    } catch (error) {
      failed.push({ file, reason: error instanceof ApiError ? error.message : String(error) });
    }
  }
  const params = { pipeline_id: id };
  if (taken.length > 0) await call('PUT /api/v1/pipelines/{pipeline_id}/files', { params, body: taken });
  return failed;
}

export async function addSources(id: string, sourceIds: readonly string[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await call('PUT /api/v1/pipelines/{pipeline_id}/data-sources', {
    params: { pipeline_id: id },
    body: sourceIds.map((source) => ({ data_source_id: source })),
  });
}
