import { z } from 'zod';
import { streamResponse } from '#src/api/http/stream-pieces.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import type { Context } from '#src/context/context.ts';
import { exportPerson } from '#src/services/exports/person.ts';
import { exportProject } from '#src/services/exports/project.ts';

const TAR = 'application/x-tar';
const response = {
  status: 200,
  description: 'A tar archive that begins with a README.txt, which describes its contents',
  content: { [TAR]: z.string() },
} as const;

const sent = (ctx: Context, name: string, archive: AsyncGenerator<Uint8Array>) =>
  streamResponse(ctx, archive, {
    'content-type': TAR,
    'content-disposition': `attachment; filename="${name}.tar"`,
    'cache-control': 'no-store',
  });

export const exportOperations = [
  operation({
    method: 'get',
    path: '/api/v1/projects/{project_id}/export',
    id: 'exportProject',
    needs: 'admin',
    tag: 'Projects',
    summary: 'Export a project',
    description:
      'Downloads everything that the project owns as a tar archive: rows as lines of JSON, the bytes ' +
      'of files, parsed pages and results. Secrets are left out. Only admins can do so. If the ' +
      'download breaks off, the archive has no end-of-archive mark.',
    access: 'organization',
    params: idParams('project_id'),
    response,
    handle: async ({ ctx, params }) =>
      sent(ctx, `project-${params.project_id}`, await exportProject(ctx, params.project_id)),
  }),
  operation({
    method: 'get',
    path: '/api/v1/users/{user_id}/export',
    id: 'exportUser',
    needs: 'read',
    tag: 'Organizations',
    summary: 'Export the data of a user',
    description:
      'Downloads what belongs to a user in the organization as a tar archive: the membership, the API ' +
      'keys without their secrets, the chat sessions, and the jobs that the user started. The user and ' +
      'the admins of the organization can do so.',
    access: 'organization',
    params: idParams('user_id'),
    response,
    handle: async ({ ctx, params }) =>
      sent(ctx, `user-${params.user_id}`, await exportPerson(ctx, params.user_id)),
  }),
];
