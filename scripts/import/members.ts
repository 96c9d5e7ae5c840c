import { z } from 'zod';
import { messageOf, RequestFailure } from './failures.ts';
import { bareId, isUploaded, type SourceFile } from './files.ts';
import { type Kind, type Move, type Reading, sifted } from './move.ts';
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

/** A request of documents, characters of their texts and how many. */
const MOST_TEXT = 2_000_000;
const MOST_AT_ONCE = 50;

const fileIdOf = (one: Member) => bareId(one.file_id ?? one.id);

async function* membersOf(move: Reading, pipeline: Pipeline): AsyncGenerator<Member> {
  const path = `/api/v1/pipelines/${encodeURIComponent(pipeline.id)}/files2`;
  for await (const items of offsetPages(move.from, path, {}, { list: 'files', offset: 'offset' })) {
    yield* sifted(move, 'pipeline file', member, items);
  }
}

/** The uploaded files of a pipeline, for when only some pipelines are copied. */
export async function* filesOf(move: Reading, pipeline: Pipeline): AsyncGenerator<SourceFile> {
  for await (const one of membersOf(move, pipeline)) {
    if (isUploaded(one)) yield { ...one, id: fileIdOf(one) };
  }
}

/** Puts the copies of a pipeline's files into its copy, with their metadata. */
export async function copyMembers(move: Move, pipeline: Pipeline, target: string): Promise<void> {
  let batch: Member[] = [];
  let ofSources = 0;
  const flush = async () => {
    const bodies = batch.map((one) => ({
      file_id: move.state.get('file', fileIdOf(one))!,
      ...(one.custom_metadata && { custom_metadata: one.custom_metadata }),
    }));
    await putAll(move, {
      kind: 'pipeline file',
      path: `/api/v1/pipelines/${encodeURIComponent(target)}/files`,
      entries: batch.map((one, index) => ({
        from: `${pipeline.id}/${fileIdOf(one)}`,
        name: `${one.name} in ${pipeline.name}`,
        body: bodies[index]!,
        to: bodies[index]!.file_id,
      })),
    });
    batch = [];
  };
  try {
    for await (const one of membersOf(move, pipeline)) {
      if (!isUploaded(one)) ofSources += 1;
      else if (move.state.get('pipeline file', `${pipeline.id}/${fileIdOf(one)}`) !== undefined) {
        move.report.count('pipeline files', false);
      } else if (move.state.get('file', fileIdOf(one)) === undefined) {
        move.report.fail('pipeline file', `${one.name} in ${pipeline.name}`, 'its file was not copied');
      } else batch.push(one);
      if (batch.length >= MOST_AT_ONCE) await flush();
    }
  } finally {
    await flush();
  }
  if (ofSources > 0) {
    move.report.note('pipeline', pipeline.name, `${ofSources} files of data sources are left to their sync`);
  }
}

/** Copies the texts that were put into a pipeline directly. */
export async function copyDocuments(move: Move, pipeline: Pipeline, target: string): Promise<void> {
  const path = `/api/v1/pipelines/${encodeURIComponent(pipeline.id)}/documents/paginated`;
  const query = { only_direct_upload: true };
  let batch: Document[] = [];
  const flush = async () => {
    await putAll(move, {
      kind: 'document',
      path: `/api/v1/pipelines/${encodeURIComponent(target)}/documents`,
      entries: batch.map((one) => ({
        from: `${pipeline.id}/${one.id}`,
        name: `${one.id} in ${pipeline.name}`,
        body: bodyOf(one),
        to: `${target}/${one.id}`,
      })),
    });
    batch = [];
  };
  try {
    // Small pages: each document comes with all of its text.
    for await (const items of offsetPages(
      move.from,
      path,
      query,
      { list: 'documents', offset: 'skip' },
      50,
    )) {
      for (const one of sifted(move, 'document', document, items)) {
        if (move.state.get('document', `${pipeline.id}/${one.id}`) !== undefined) {
          move.report.count('documents', false);
          continue;
        }
        if (textLength([...batch, one]) > MOST_TEXT) await flush();
        batch.push(one);
        if (batch.length >= MOST_AT_ONCE) await flush();
      }
    }
  } finally {
    // What came before a page that cannot be read is good.
    await flush();
  }
}

const textLength = (batch: readonly Document[]) => batch.reduce((sum, { text }) => sum + text.length, 0);

function bodyOf({ id, text, metadata, ...rest }: Document): object {
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

/** One request, which may be repeated; when it is refused, each entry alone, so that the wrong one is found. */
export async function putAll(
  move: Move,
  { kind, path, entries }: { kind: Kind; path: string; entries: readonly Entry[] },
): Promise<void> {
  if (entries.length === 0) return;
  try {
    await move.to.call(z.unknown(), 'PUT', path, { body: entries.map(({ body }) => body) });
    move.state.put(...entries.map(({ from, to }) => ({ kind, from, to })));
    move.report.count(`${kind}s`, true, entries.length);
  } catch (cause) {
    if (!(cause instanceof RequestFailure)) throw cause;
    if (entries.length === 1 || cause.passing) {
      for (const { name } of entries) move.report.fail(kind, name, messageOf(cause));
      return;
    }
    for (const entry of entries) await putAll(move, { kind, path, entries: [entry] });
  }
}
