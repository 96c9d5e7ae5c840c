import { z } from 'zod';
import { resource } from '#src/api/operation/resource.ts';
import { idParams, pageQuery } from '#src/api/operation/schemas.ts';
import { TRUTH_KINDS } from '#src/db/schema/index.ts';
import { newTruthSet, truthSetChanges } from '#src/services/evaluations/accuracy/input.ts';
import {
  createTruthSet,
  deleteTruthSet,
  getTruthSet,
  getTruthSetPage,
  updateTruthSet,
} from '#src/services/evaluations/accuracy/truth-sets.ts';
import { presentTruthSet, truthSetBody } from './truth-sets.schemas.ts';

const truthSetsPath = '/api/v1/evaluations/truth-sets';
export const truthSetPath = `${truthSetsPath}/{truth_set_id}` as const;
export const truthSetParams = idParams('truth_set_id');

const sets = resource({
  tag: 'Evaluations',
  collection: { name: 'truth sets', path: truthSetsPath, access: 'project' },
  item: { name: 'a truth set', path: truthSetPath, params: truthSetParams, access: 'resource' },
  body: truthSetBody,
  present: presentTruthSet,
});

export const truthSetOperations = [
  sets.page({
    id: 'listTruthSets',
    needs: 'read',
    description: 'Returns one page of the truth sets of the project, newest first.',
    query: pageQuery.extend({
      name: z.string().nullish().describe('Exact match.'),
      kind: z.enum(TRUTH_KINDS).nullish().describe('Only sets of this kind.'),
    }),
    pageId: 'TruthSetPage',
    run: ({ ctx, query }) => getTruthSetPage(ctx, query),
  }),
  sets.create({
    id: 'createTruthSet',
    needs: 'write',
    description:
      'Creates an empty set of files with the results that an extraction or classification should have for them. Its ' +
      'name is unique in the project. A project can have at most 200 sets.',
    body: newTruthSet,
    errors: [409],
    run: ({ ctx, body }) => createTruthSet(ctx, body),
  }),
  sets.get({
    id: 'getTruthSet',
    needs: 'read',
    description: 'Returns the set with the number of its truths, without the truths.',
    run: ({ ctx, params }) => getTruthSet(ctx, params.truth_set_id),
  }),
  sets.update({
    id: 'updateTruthSet',
    needs: 'write',
    description: 'Changes the name or the description. The version of the set stays the same.',
    body: truthSetChanges,
    errors: [409],
    run: ({ ctx, params, body }) => updateTruthSet(ctx, params.truth_set_id, body),
  }),
  sets.delete({
    id: 'deleteTruthSet',
    needs: 'write',
    description: 'Deletes the set with its truths, and with all runs that used it.',
    run: ({ ctx, params }) => deleteTruthSet(ctx, params.truth_set_id),
  }),
];
