import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { idParams } from '#src/api/schemas.ts';
import { streamed } from '#src/api/stream-pieces.ts';
import type { Context } from '#src/context.ts';
import { exportPerson } from '#src/services/exports/person.ts';
import { exportProject } from '#src/services/exports/project.ts';

const TAR = 'application/x-tar';
const response = {
  status: 200,
  description: 'A tar archive, which begins with a README.txt that says what is what',
  content: { [TAR]: z.string() },
} as const;

const sent = (ctx: Context, name: string, archive: AsyncGenerator<Uint8Array>) =>
  streamed(ctx, archive, {
    'content-type': TAR,
    'content-disposition': `attachment; filename="${name}.tar"`,
    'cache-control': 'no-store',
  });

export const exportOperations = [
  operation({
    method: 'get',
    path: '/api/v1/projects/{project_id}/export',
    id: 'exportProject',
    tag: 'Projects',
    summary: 'Download everything that a project owns',
    description:
      'Rows as lines of JSON, bytes of files, parses and results. For admins; no secret is in it. An answer that breaks ' +
      'off leaves an archive without its end.',
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
    tag: 'Organizations',
    summary: 'Download what belongs to a person in an organization',
    description:
      'Membership, keys without what opens with them, conversations and the jobs that they began. For the person, and ' +
      'for admins of the organization.',
    access: 'organization',
    params: idParams('user_id'),
    response,
    handle: async ({ ctx, params }) =>
      sent(ctx, `user-${params.user_id}`, await exportPerson(ctx, params.user_id)),
  }),
];
