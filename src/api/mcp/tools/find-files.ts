import { z } from 'zod';
import { Budget } from '#src/api/mcp/budget.ts';
import { goOn, pageInput } from '#src/api/mcp/page.ts';
import { READS, tool } from '#src/api/mcp/tool.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { nameContains } from '#src/api/v1/files/beta-files.ts';
import { fileBody } from '#src/api/v1/files/files.ts';
import { pipelineFileBody } from '#src/api/v1/pipelines/pipeline-files.ts';
import { pipelineParams } from '#src/api/v1/pipelines/pipelines.ts';
import type { TenantContext } from '#src/context/context.ts';
import { DEFAULT_PAGE_SIZE } from '#src/db/paging.ts';
import { Invalid } from '#src/lib/errors.ts';
import { findFilesByMetadata } from '#src/retrieval/find-files.ts';
import { presetRetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { getFilePage } from '#src/services/files/listing.ts';
import { getPipelineFilePage } from '#src/services/pipelines/pipeline-file-lists.ts';

const input = pageInput.extend({
  pipeline_id: pipelineParams.shape.pipeline_id
    .nullish()
    .describe('Only files of this pipeline. If absent, all files of the project.'),
  name_contains: nameContains,
  filters: presetRetrievalParameters.shape.search_filters.describe(
    'Only indexed files with this metadata, with the filters of search. Requires pipeline_id.',
  ),
});

const foundFile = fileBody.pick({ name: true, file_type: true, file_size: true }).extend({
  file_id: fileBody.shape.id,
  status: pipelineFileBody.shape.status
    .nullish()
    .describe('Status of the file in the pipeline, if pipeline_id was sent.'),
  metadata: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe(
      'Metadata of the file in the index. Present if filters were sent and the answer has space for it.',
    ),
});
type Found = z.input<typeof foundFile>;
interface FoundPage {
  items: Found[];
  next_page_token: string | null;
  total_size?: number;
}

export const findFiles = tool({
  name: 'find_files',
  title: 'Find files',
  description:
    'Lists files by a part of their name or by their metadata, in the whole project or in one pipeline with their ' +
    'status. Send the file_id to read_pages, extract or classify. To search the content of files, use search.',
  input,
  output: buildPageSchema(foundFile),
  needs: 'read',
  annotations: READS,
  async handle({ ctx, input, fence }) {
    const page = await found(ctx, input);
    const lines = page.items.map(
      ({ file_id, name, file_size, status }) =>
        `- ${file_id} ${JSON.stringify(name)}${file_size == null ? '' : `, ${file_size} bytes`}${status ? `, ${status}` : ''}`,
    );
    const { text } = new Budget().take(lines.join('\n') || 'none');
    const total = page.total_size === undefined ? '' : ` of ${page.total_size}`;
    const formatted = `${page.items.length}${total} files:\n${fence(text)}${goOn(page.next_page_token)}`;
    return { data: page, text: formatted };
  },
});

async function found(ctx: TenantContext, asked: z.output<typeof input>): Promise<FoundPage> {
  const { pipeline_id: pipelineId, name_contains, filters, ...paging } = asked;
  if (filters && !pipelineId) {
    throw Invalid.field(
      ['pipeline_id'],
      'is required beside filters: metadata are those of a pipeline',
      'missing',
    );
  }
  if (pipelineId && filters) {
    const page = await findFilesByMetadata(ctx, pipelineId, {
      filters,
      nameContains: name_contains,
      pageSize: paging.page_size ?? DEFAULT_PAGE_SIZE,
      pageToken: paging.page_token,
    });
    const budget = new Budget();
    return {
      ...page,
      items: page.items.map(({ documentId, title, metadata }) => ({
        file_id: documentId,
        name: title,
        ...(budget.takeWhole(JSON.stringify(metadata)) && { metadata }),
      })),
    };
  }
  if (pipelineId) {
    const query = { ...paging, file_name_contains: name_contains };
    const page = await getPipelineFilePage(ctx, pipelineId, query);
    const items = page.items.map(({ file, member }) => ({
      ...presentFound(file),
      status: member.status as Found['status'],
    }));
    return { ...page, items };
  }
  const filter = { name_contains };
  const page = await getFilePage(ctx, { filter, pageSize: paging.page_size, pageToken: paging.page_token });
  return { ...page, items: page.items.map(presentFound) };
}

const presentFound = (row: {
  id: string;
  name: string;
  fileType: string | null;
  fileSize: number | null;
}): Found => ({ file_id: row.id, name: row.name, file_type: row.fileType, file_size: row.fileSize });
