import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { TRUTH_ORIGINS } from '#src/db/schema/index.ts';
import { collectTruths } from '#src/services/evaluations/accuracy/collect-truths.ts';
import { importTruths } from '#src/services/evaluations/accuracy/import-truths.ts';
import { newTruths, truthCollection, truthImport } from '#src/services/evaluations/accuracy/input.ts';
import { addTruths, deleteTruth, getTruthPage } from '#src/services/evaluations/accuracy/truths.ts';
import { presentTruth, truthBody, truthCollectionBody, truthImportBody } from './truth-sets.schemas.ts';
import { truthSetParams, truthSetPath } from './truth-sets.ts';

const tag = 'Evaluations';
const path = `${truthSetPath}/truths` as const;

export const truthOperations = [
  operation({
    method: 'get',
    path,
    id: 'listTruths',
    needs: 'read',
    tag,
    summary: 'List the truths of a set',
    description:
      'Returns one page of the truths in the order of the file names. A truth is affected if its file was changed ' +
      'since the truth was written.',
    access: 'resource',
    params: truthSetParams,
    query: pageQuery.extend({
      origin: z.enum(TRUTH_ORIGINS).nullish().describe('Only truths with this origin.'),
      is_affected: z.boolean().nullish().describe('Only affected truths, or only others.'),
    }),
    response: { status: 200, json: buildPageSchema(truthBody).meta({ id: 'TruthPage' }) },
    async handle({ ctx, params, query }) {
      const page = await getTruthPage(ctx, params.truth_set_id, query);
      return { ...page, items: page.items.map(presentTruth) };
    },
  }),
  operation({
    method: 'post',
    path,
    id: 'addTruths',
    needs: 'write',
    tag,
    summary: 'Add truths to a set',
    description:
      'Adds the expected results of up to 500 files, either all or none, and returns them. A truth replaces that of ' +
      'the same file, and counts as written for the present content of the file.',
    access: 'resource',
    params: truthSetParams,
    body: { json: newTruths },
    response: { status: 200, json: z.object({ truths: z.array(truthBody) }) },
    errors: [409],
    async handle({ ctx, params, body }) {
      const added = await addTruths(ctx, params.truth_set_id, body.truths);
      return { truths: added.map(presentTruth) };
    },
  }),
  operation({
    method: 'delete',
    path: `${path}/{truth_id}`,
    id: 'deleteTruth',
    needs: 'write',
    tag,
    summary: 'Delete a truth',
    description: 'Removes the truth of a file from the set. Results of earlier runs stay.',
    access: 'resource',
    params: idParams('truth_set_id', 'truth_id'),
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteTruth(ctx, params.truth_set_id, params.truth_id),
  }),
  operation({
    method: 'post',
    path: `${truthSetPath}/import`,
    id: 'importTruths',
    needs: 'write',
    tag,
    summary: 'Import truths',
    description:
      'Adds truths from JSON Lines, either all or none. Errors name the line and the field. A truth replaces that of ' +
      'the same file.',
    access: 'resource',
    params: truthSetParams,
    body: { json: truthImport },
    response: { status: 200, json: truthImportBody },
    errors: [409],
    async handle({ ctx, params, body }) {
      const { added, replaced } = await importTruths(ctx, params.truth_set_id, body.content);
      return { added_count: added, replaced_count: replaced };
    },
  }),
  operation({
    method: 'post',
    path: `${truthSetPath}/collect`,
    id: 'collectTruths',
    needs: 'write',
    tag,
    summary: 'Take reviewed results as truths',
    description:
      'Takes the approved results of jobs or of a saved configuration as truths, with the corrections of the ' +
      'reviewers. Results that nobody has approved are left out.',
    access: 'resource',
    params: truthSetParams,
    body: { json: truthCollection },
    response: { status: 200, json: truthCollectionBody },
    errors: [404, 409],
    async handle({ ctx, params, body }) {
      const { added, replaced, skipped } = await collectTruths(ctx, params.truth_set_id, body);
      return { added_count: added, replaced_count: replaced, skipped_count: skipped };
    },
  }),
];
