import { z } from 'zod';
import { type ImportContext, type Kind, parseItems, type SourceContext } from './context.ts';
import { getMessage, RequestFailure } from './failures.ts';
import { isUploaded, type SourceFile, stripIdPrefix } from './files.ts';
import { formatCount } from './output.ts';
import { offsetPages } from './pages.ts';
import type { Pipeline } from './pipelines.ts';

const member = z.looseObject({
  id: z.string(),
  file_id: z.string().nullish(),
  name: z.string().min(1),
  external_file_id: z.string().nullish(),
  file_size: z.number().int().nonnegative().nullish(),
  data_source_id: z.string().nullish(),
  custom_metadata: z.record(z.string(), z.unknown()).nullish(),
});
type Member = z.output<typeof member>;

const document = z.looseObject({
  id: z.string().min(1),
  text: z.string(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
type Document = z.output<typeof document>;

/**
 * Maximum total length in characters of the texts in one request, and maximum number of entries in one
 * request.
 */
const MAX_TEXT_LENGTH = 2_000_000;
const MAX_BATCH_SIZE = 50;

const getFileId = (one: Member) => stripIdPrefix(one.file_id ?? one.id);

async function* listMembers(context: SourceContext, pipeline: Pipeline): AsyncGenerator<Member> {
  const path = `/api/v1/pipelines/${encodeURIComponent(pipeline.id)}/files2`;
  for await (const items of offsetPages(context.from, path, {}, { list: 'files', offset: 'offset' })) {
    yield* parseItems(context, 'pipeline file', member, items);
  }
}

/** Lists the uploaded files of a pipeline, used when only some pipelines are copied. */
export async function* listPipelineFiles(
  context: SourceContext,
  pipeline: Pipeline,
): AsyncGenerator<SourceFile> {
  for await (const one of listMembers(context, pipeline)) {
    if (isUploaded(one)) yield { ...one, id: getFileId(one) };
  }
}

/** Adds the copies of a pipeline's files to the copied pipeline, with their metadata. */
export async function copyMembers(context: ImportContext, pipeline: Pipeline, target: string): Promise<void> {
  let batch: Member[] = [];
  let sourceFileCount = 0;
  const flush = async () => {
    const bodies = batch.map((one) => ({
      file_id: context.state.get('file', getFileId(one))!,
      ...(one.custom_metadata && { custom_metadata: one.custom_metadata }),
    }));
    await putAll(context, {
      kind: 'pipeline file',
      path: `/api/v1/pipelines/${encodeURIComponent(target)}/files`,
      entries: batch.map((one, index) => ({
        from: `${pipeline.id}/${getFileId(one)}`,
        name: `${one.name} in ${pipeline.name}`,
        body: bodies[index]!,
        to: bodies[index]!.file_id,
      })),
    });
    batch = [];
  };
  try {
    for await (const one of listMembers(context, pipeline)) {
      if (!isUploaded(one)) sourceFileCount += 1;
      else if (context.state.get('pipeline file', `${pipeline.id}/${getFileId(one)}`) !== undefined) {
        context.report.count('pipeline files', false);
      } else if (context.state.get('file', getFileId(one)) === undefined) {
        context.report.fail('pipeline file', `${one.name} in ${pipeline.name}`, 'its file was not copied');
      } else batch.push(one);
      if (batch.length >= MAX_BATCH_SIZE) await flush();
    }
  } finally {
    await flush();
  }
  if (sourceFileCount > 0) {
    context.report.note(
      'pipeline',
      pipeline.name,
      `${formatCount(sourceFileCount, 'file')} of data sources will be read again by the next sync`,
    );
  }
}

/** Copies documents that were added to a pipeline as text. */
export async function copyDocuments(
  context: ImportContext,
  pipeline: Pipeline,
  target: string,
): Promise<void> {
  const path = `/api/v1/pipelines/${encodeURIComponent(pipeline.id)}/documents/paginated`;
  const query = { only_direct_upload: true };
  let batch: Document[] = [];
  const flush = async () => {
    await putAll(context, {
      kind: 'document',
      path: `/api/v1/pipelines/${encodeURIComponent(target)}/documents`,
      entries: batch.map((one) => ({
        from: `${pipeline.id}/${one.id}`,
        name: `${one.id} in ${pipeline.name}`,
        body: buildDocumentBody(one),
        to: `${target}/${one.id}`,
      })),
    });
    batch = [];
  };
  try {
    // The page size is small, because each document includes its full text.
    for await (const items of offsetPages(
      context.from,
      path,
      query,
      { list: 'documents', offset: 'skip' },
      50,
    )) {
      for (const one of parseItems(context, 'document', document, items)) {
        if (context.state.get('document', `${pipeline.id}/${one.id}`) !== undefined) {
          context.report.count('documents', false);
          continue;
        }
        if (textLength([...batch, one]) > MAX_TEXT_LENGTH) await flush();
        batch.push(one);
        if (batch.length >= MAX_BATCH_SIZE) await flush();
      }
    }
  } finally {
    // If reading a page failed, the documents of earlier pages are still copied.
    await flush();
  }
}

const textLength = (batch: readonly Document[]) => batch.reduce((sum, { text }) => sum + text.length, 0);

function buildDocumentBody({ id, text, metadata, ...rest }: Document): object {
  const members = ['excluded_embed_metadata_keys', 'excluded_llm_metadata_keys', 'page_positions'];
  const others = Object.entries(rest).filter(([name, value]) => members.includes(name) && value != null);
  return { id, text, metadata: metadata ?? {}, ...Object.fromEntries(others) };
}

interface Entry {
  from: string;
  name: string;
  body: object;
  to: string;
}

/**
 * Sends entries in one request, which can safely be repeated. If the request is rejected, each entry is sent
 * alone, so that only invalid entries fail.
 */
export async function putAll(
  context: ImportContext,
  { kind, path, entries }: { kind: Kind; path: string; entries: readonly Entry[] },
): Promise<void> {
  if (entries.length === 0) return;
  try {
    await context.to.call(z.unknown(), 'PUT', path, { body: entries.map(({ body }) => body) });
    context.state.put(...entries.map(({ from, to }) => ({ kind, from, to })));
    context.report.count(`${kind}s`, true, entries.length);
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    if (entries.length === 1 || cause.isTransient) {
      for (const { name } of entries) context.report.fail(kind, name, getMessage(cause));
      return;
    }
    for (const entry of entries) await putAll(context, { kind, path, entries: [entry] });
  }
}
