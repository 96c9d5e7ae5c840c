import {
  type ListResourcesResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import type { TenantContext } from '#src/context/context.ts';
import { DomainError, NotFound } from '#src/lib/errors.ts';
import { getFile } from '#src/services/files/files.ts';
import { getFilePage } from '#src/services/files/listing.ts';
import { readText } from './read-text.ts';

const PAGE_SIZE = 100;
const MARKDOWN = 'text/markdown';
const LONGEST_URI = 300;

export const RESOURCE_TEMPLATES: ResourceTemplateType[] = [
  {
    name: 'file',
    title: 'Text of a file',
    uriTemplate: 'sluice://files/{id}',
    description: 'Text of a file as Markdown, page by page, as far as it fits into one answer.',
    mimeType: MARKDOWN,
  },
  {
    name: 'page',
    title: 'Text of a page',
    uriTemplate: 'sluice://files/{id}/pages/{n}',
    description: 'One page of a file as Markdown. `n` is the page number, counted from 1.',
    mimeType: MARKDOWN,
  },
];

const buildUri = (id: string, page?: number) =>
  `sluice://files/${id}${page === undefined ? '' : `/pages/${page}`}`;

/** Lists the files of the project, newest first. */
export async function listResources(
  ctx: TenantContext,
  cursor: string | undefined,
): Promise<ListResourcesResult> {
  const page = await asProtocolErrors(() => getFilePage(ctx, { pageSize: PAGE_SIZE, pageToken: cursor }));
  return {
    resources: page.items.map(({ id, name, fileSize }) => ({
      uri: buildUri(id),
      name,
      mimeType: MARKDOWN,
      ...(fileSize !== null && { description: `The text of a file of ${fileSize} bytes.` }),
    })),
    ...(page.next_page_token && { nextCursor: page.next_page_token }),
  };
}

const URI = /^sluice:\/\/files\/([\w-]{1,100})(?:\/pages\/([1-9]\d{0,8}))?$/;

/**
 * Returns the text of a file with one item per page, or the text of a single page. A last item says how to
 * read the rest.
 */
export function readResource(
  ctx: TenantContext,
  uri: string,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const [, id, number] = (uri.length <= LONGEST_URI && URI.exec(uri)) || [];
  if (id === undefined) throw new ResourceNotFoundError(uri.slice(0, LONGEST_URI));
  return asProtocolErrors(async () => {
    const file = await getFile(ctx, id);
    const page = number === undefined ? undefined : Number(number);
    const placeIn = (pageCount: number) => {
      if (page !== undefined && page > pageCount) throw new NotFound(`Page ${page} of file`, file.id);
      return { page: page ?? 1, offset: 0, lastPage: page ?? pageCount, format: 'markdown' as const };
    };
    const { pages, pageCount, next } = await readText(ctx, file, placeIn, signal);
    const contents = pages.map((each) => ({
      uri: buildUri(file.id, each.page),
      mimeType: MARKDOWN,
      text: each.text,
    }));
    if (next === null) return { contents };
    const text = `Not all of the file’s ${pageCount} pages: go on with the tool read_pages, file_id ${file.id}, page_token ${next}`;
    return { contents: [...contents, { uri: buildUri(file.id), mimeType: 'text/plain', text }] };
  }, uri);
}

/**
 * Converts errors to protocol errors, because resources, unlike tools, cannot return an error as their
 * result.
 */
async function asProtocolErrors<Result>(work: () => Promise<Result>, uri?: string): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof NotFound && uri !== undefined) throw new ResourceNotFoundError(uri, error.message);
    if (!(error instanceof DomainError)) throw error;
    const { InvalidParams, InternalError } = ProtocolErrorCode;
    throw new ProtocolError(error.code === 'invalid' ? InvalidParams : InternalError, error.message);
  }
}
