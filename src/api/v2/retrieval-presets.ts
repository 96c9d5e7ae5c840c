import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
import { pipelineParams } from '#src/api/v1/pipelines/pipelines.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import {
  createRetrievalPreset,
  deleteRetrievalPreset,
  getRetrievalPreset,
  listRetrievalPresets,
  newRetrievalPreset,
  retrievalPresetChanges,
  type ShownPreset,
  updateRetrievalPreset,
} from '#src/services/pipelines/retrieval-presets.ts';

const retrievalPresetBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    pipeline_id: z.uuid(),
    parameters: presetRetrievalParameters,
    is_default: z
      .boolean()
      .describe(
        'Whether the pipeline uses these parameters by default. False again after `preset_retrieval_parameters` of ' +
          'the pipeline was changed directly.',
      ),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'RetrievalPreset' });

const presentPreset = (row: ShownPreset): z.input<typeof retrievalPresetBody> => ({
  id: row.id,
  name: row.name,
  pipeline_id: row.pipelineId,
  parameters: presetRetrievalParameters.parse(row.parameters),
  is_default: row.isDefault,
  created_at: row.createdAt.toISOString(),
  updated_at: row.updatedAt.toISOString(),
});

const path = '/api/v2/pipelines/{pipeline_id}/retrieval-presets';
const presets = resource({
  tag: 'Retrieval',
  collection: { name: 'retrieval presets', path, params: pipelineParams, access: 'resource' },
  item: {
    name: 'a retrieval preset',
    path: `${path}/{preset_id}`,
    params: idParams('pipeline_id', 'preset_id'),
    access: 'resource',
  },
  body: retrievalPresetBody,
  present: presentPreset,
});

export const retrievalPresetOperations = [
  presets.list({
    id: 'listRetrievalPresets',
    needs: 'read',
    description: 'Returns all named presets of retrieval parameters of the pipeline, sorted by name.',
    run: ({ ctx, params }) => listRetrievalPresets(ctx, params.pipeline_id),
  }),
  presets.create({
    id: 'createRetrievalPreset',
    needs: 'write',
    description:
      'Saves retrieval parameters under a name that is unique in the pipeline. A search uses them if its request ' +
      'contains them, or if the preset is the default. A pipeline can have at most 100 presets.',
    body: newRetrievalPreset,
    errors: [409],
    run: ({ ctx, params, body }) => createRetrievalPreset(ctx, params.pipeline_id, body),
  }),
  presets.get({
    id: 'getRetrievalPreset',
    needs: 'read',
    description: 'Returns the preset with its parameters.',
    run: ({ ctx, params }) => getRetrievalPreset(ctx, params.pipeline_id, params.preset_id),
  }),
  presets.update({
    id: 'updateRetrievalPreset',
    needs: 'write',
    description:
      'Renames the preset, replaces its parameters or makes it the default. Omitted and null members stay ' +
      'unchanged. New parameters of the default preset apply to the pipeline at once.',
    body: retrievalPresetChanges,
    errors: [409],
    run: ({ ctx, params, body }) => updateRetrievalPreset(ctx, params.pipeline_id, params.preset_id, body),
  }),
  presets.delete({
    id: 'deleteRetrievalPreset',
    needs: 'write',
    description: 'Deletes the preset. If it was the default, the pipeline keeps its parameters.',
    run: ({ ctx, params }) => deleteRetrievalPreset(ctx, params.pipeline_id, params.preset_id),
  }),
];
