import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import { generateSchema } from '#src/services/jobs/extraction/generate-schema.ts';
import { dataSchema, fileId, readSchema, schemaBody } from './bodies.ts';

const path = '/api/v1/extraction/extraction-agents/schema';
const tag = 'Extraction agents';
const response = { status: 200 as const, json: z.object({ data_schema: schemaBody }) };

export const schemaOperations = [
  operation({
    method: 'post',
    path: `${path}/validation`,
    id: 'validateExtractionAgentSchema',
    needs: 'read',
    tag,
    summary: 'Validate an extraction schema',
    description: 'Checks the JSON Schema and returns it in the form that extraction jobs use.',
    access: 'project',
    body: { json: z.object({ data_schema: dataSchema }) },
    response,
    errors: [400],
    handle: async ({ body }) => ({ data_schema: validateSchema(readSchema(body.data_schema)) }),
  }),
  operation({
    method: 'post',
    path: `${path}/generate`,
    id: 'generateExtractionAgentSchema',
    needs: 'write',
    tag,
    summary: 'Generate an extraction schema',
    description: 'Writes a schema from a prompt, a sample file or another schema.',
    access: 'project',
    body: {
      json: z.object({
        prompt: z.string().nullish(),
        file_id: fileId.nullish(),
        data_schema: dataSchema.nullish(),
      }),
    },
    response,
    errors: [400, 502],
    async handle({ ctx, body }) {
      const given = body.data_schema && readSchema(body.data_schema);
      const made = await generateSchema(ctx, { ...body, data_schema: given || null });
      return { data_schema: made.parameters.data_schema };
    },
  }),
];
