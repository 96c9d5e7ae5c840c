import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import { CONTENT_TYPES, chooseFormat, formatMetrics } from '#src/metrics/text.ts';
import { getDeadLetterPage, resendDeadLetter } from '#src/services/operating/dead-letters.ts';
import { CHECK_NAMES, examineInstallation } from '#src/services/operating/doctor.ts';
import { readAllMetrics } from '#src/services/operating/metrics.ts';
import { rotateSecrets } from '#src/services/secrets/rotate-secrets.ts';

const tag = 'Administration';
const OPERATOR_ONLY = 'Takes the bootstrap key only.';

const deadLetter = z
  .object({
    id: z.string(),
    type: z.string(),
    message: z.record(z.string(), z.unknown()).describe('Work that the message names.'),
    created_at: timestamp,
  })
  .meta({ id: 'DeadLetter' });

export const adminOperations = [
  operation({
    method: 'get',
    path: '/metrics',
    id: 'getMetrics',
    needs: 'admin',
    tag,
    summary: 'Read the metrics',
    description:
      `${OPERATOR_ONLY} Returns all counters and histograms for a metrics scraper: in the OpenMetrics ` +
      'format if the `Accept` header asks for it, otherwise in the text format of Prometheus.',
    access: 'resource',
    canSkipQueue: true,
    response: {
      status: 200,
      description: 'One line per series',
      content: { 'text/plain': z.string(), 'application/openmetrics-text': z.string() },
    },
    handle: async ({ ctx, request }) => {
      const format = chooseFormat(request.headers.get('accept'));
      const headers = { 'content-type': CONTENT_TYPES[format], 'cache-control': 'no-store' };
      return new Response(formatMetrics(await readAllMetrics(ctx), format), { headers });
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/admin/dead-letters',
    id: 'listDeadLetters',
    needs: 'admin',
    tag,
    summary: 'List dead letters',
    description:
      `${OPERATOR_ONLY} A dead letter is a queue message that failed on every delivery. The oldest ` +
      'comes first. Dead letters are deleted after 30 days.',
    access: 'resource',
    query: pageQuery,
    response: { status: 200, json: buildPageSchema(deadLetter).meta({ id: 'DeadLetterPage' }) },
    handle: async ({ ctx, query }) => {
      const page = await getDeadLetterPage(ctx, query);
      const items = page.items.map(({ id, type, message, createdAt }) => {
        return { id, type, message, created_at: createdAt.toISOString() };
      });
      return { ...page, items };
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/dead-letters/{dead_letter_id}/send',
    id: 'sendDeadLetter',
    needs: 'admin',
    tag,
    summary: 'Send a dead letter again',
    description:
      `${OPERATOR_ONLY} Puts the work of the message back into its queue and deletes the dead letter. ` +
      'The outcome `not_wanted` says that nothing is left to do, for example because the job was ' +
      'deleted.',
    access: 'resource',
    params: idParams('dead_letter_id'),
    response: {
      status: 200,
      json: z.object({ outcome: z.enum(['sent', 'not_wanted']) }).meta({ id: 'DeadLetterSent' }),
    },
    handle: async ({ ctx, params }) => ({ outcome: await resendDeadLetter(ctx, params.dead_letter_id) }),
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/checks',
    id: 'checkInstallation',
    needs: 'admin',
    tag,
    summary: 'Check the installation',
    description:
      `${OPERATOR_ONLY} Runs one check over one page of rows, and repairs what can be repaired without ` +
      'loss if `fix` is true. Repeat the call with the `next_page_token` until there is none. ' +
      '`npm run doctor` runs every check.',
    access: 'resource',
    body: {
      json: z.object({
        check: z.enum(CHECK_NAMES),
        fix: z.boolean().nullish().describe('Repairs everything that can be repaired without loss.'),
        page_size: z.number().int().min(1).max(1000).nullish(),
        page_token: z.string().nullish(),
      }),
    },
    response: {
      status: 200,
      json: z
        .object({
          examined: z.number().int(),
          findings: z.array(
            z.object({
              level: z.enum(['warn', 'fail']),
              place: z.string(),
              message: z.string(),
              mended: z.boolean(),
            }),
          ),
          next_page_token: z.string().nullish(),
        })
        .meta({ id: 'CheckStep' }),
    },
    handle: ({ ctx, body }) => examineInstallation(ctx, body),
  }),
  operation({
    method: 'post',
    path: '/api/v1/admin/rotate-secrets',
    id: 'rotateSecrets',
    needs: 'admin',
    tag,
    summary: 'Encrypt stored secrets with the current key',
    description:
      'Takes the bootstrap key only. Handles one page of rows. Repeat the call with the ' +
      '`next_page_token` until there is none; then the old encryption key is no longer needed.',
    access: 'resource',
    body: {
      json: z.object({
        page_size: z.number().int().min(1).max(1000).nullish(),
        page_token: z.string().nullish(),
      }),
      optional: true,
    },
    response: {
      status: 200,
      json: z
        .object({
          examined: z.number().int(),
          rotated: z.number().int(),
          failed: z.array(z.object({ place: z.string(), message: z.string() })),
          next_page_token: z.string().nullish(),
        })
        .meta({ id: 'RotationStep' }),
    },
    handle: ({ ctx, body }) => rotateSecrets(ctx, body ?? {}),
  }),
];
