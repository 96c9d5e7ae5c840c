import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import { listOwnApplications, removeOwnApplication } from '#src/services/applications/own-applications.ts';
import { formatScope } from '#src/services/applications/scopes.ts';

const tag = 'Session';

const applicationBody = z
  .object({
    id: z.uuid(),
    name: z.string().describe('Name that the application gave itself. It is not verified.'),
    redirect_host: z
      .string()
      .describe('Host to which the browser returned after you allowed the application.'),
    project_id: z.uuid().describe('Id of the only project that the application has access to.'),
    scope: z
      .string()
      .describe(
        'What you allowed: `sluice:read` or `sluice:read sluice:write`. A viewer’s application only reads.',
      ),
    created_at: timestamp,
    last_used_at: timestamp.nullable().describe('Time of the last request, to the minute.'),
    expires_at: timestamp.describe(
      'Time at which an application that is not used has to be connected again.',
    ),
  })
  .meta({ id: 'ConnectedApplication' });

export const connectedApplicationOperations = [
  operation({
    method: 'get',
    path: '/api/v1/connected-applications',
    id: 'listConnectedApplications',
    needs: 'read',
    tag,
    summary: 'List your connected applications',
    description:
      'Returns the applications that your user connected to `/mcp` with OAuth in the organization, newest first, at most ' +
      '100. A key that is limited to a project or to reading sees only applications with the same limits.',
    access: 'organization',
    response: { status: 200, json: z.array(applicationBody) },
    handle: async ({ ctx }) =>
      (await listOwnApplications(ctx)).map((row) => ({
        id: row.id,
        name: row.name,
        redirect_host: new URL(row.redirectUri).host,
        project_id: row.projectId,
        scope: formatScope(row.canWrite),
        created_at: row.createdAt.toISOString(),
        last_used_at: row.lastUsedAt?.toISOString() ?? null,
        expires_at: row.expiresAt.toISOString(),
      })),
  }),
  operation({
    method: 'delete',
    path: '/api/v1/connected-applications/{application_id}',
    id: 'removeConnectedApplication',
    needs: 'read',
    tag,
    summary: 'Disconnect one of your applications',
    description: 'The tokens of the application stop working at once.',
    access: 'organization',
    params: z.object({ application_id: z.uuid() }),
    response: { status: 204 },
    handle: ({ ctx, params }) => removeOwnApplication(ctx, params.application_id),
  }),
];
