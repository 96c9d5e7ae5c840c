import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import { parseJson } from '#src/evaluation/formats/jsonl.ts';
import { createImportError, iterateLines } from '#src/evaluation/formats/records.ts';
import { Invalid } from '#src/lib/errors.ts';
import { resolveReferences } from '../references.ts';
import { findTruthProblem, MAX_TRUTHS, truthFields } from './input.ts';
import { getTruthSet } from './truth-sets.ts';
import { findFileIds, getExpectedValue } from './truths.ts';
import { saveTruths } from './write-truths.ts';

const reference = z.string().min(1).max(1_000).optional();
const line = z.strictObject({
  file_id: reference,
  file_name: reference,
  external_file_id: reference,
  ...truthFields,
});
type Line = z.infer<typeof line> & { place: string };

/**
 * Imports truths from JSON Lines, either all or none. Every file that a line names must exist. A truth replaces that
 * of the same file.
 */
export async function importTruths(
  ctx: TenantContext,
  truthSetId: string,
  content: string,
): Promise<{ added: number; replaced: number }> {
  const set = await getTruthSet(ctx, truthSetId);
  const lines = readLines(content);
  const resolve = await resolveReferences(ctx, set.projectId, lines.map(toReference), new Map());
  const found = lines.map((each) => {
    const document = resolve(toReference(each));
    if ('problem' in document) throw createImportError('content', each.place, document.problem);
    return document.id;
  });
  const known = await findFileIds(ctx, set.projectId, found);
  const rows = lines.map((each, index) => {
    const fileId = found[index]!;
    // An id may also be that of a text document, which has no file.
    if (!known.has(fileId)) throw createImportError('content', each.place, `no file has the id '${fileId}'`);
    const problem = findTruthProblem(set.kind, each);
    if (problem) throw createImportError('content', each.place, `field ${problem.field}: ${problem.message}`);
    return { fileId, origin: 'imported' as const, value: getExpectedValue(set.kind, each) };
  });
  return saveTruths(ctx, set, rows);
}

const toReference = ({ file_id, file_name, external_file_id }: Line) => ({
  ...(file_id !== undefined && { document_id: file_id }),
  ...(file_name !== undefined && { file_name }),
  ...(external_file_id !== undefined && { external_file_id }),
});

function readLines(content: string): Line[] {
  const lines: Line[] = [];
  for (const { line: text, number } of iterateLines(content)) {
    const place = `line ${number}`;
    const parsed = line.safeParse(parseJson('content', place, text));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const field = issue!.path.join('.');
      throw createImportError('content', place, `${field ? `field ${field}: ` : ''}${issue!.message}`);
    }
    if (Object.keys(toReference({ ...parsed.data, place })).length !== 1) {
      throw createImportError(
        'content',
        place,
        'name the file by exactly one of file_id, file_name and external_file_id',
      );
    }
    lines.push({ ...parsed.data, place });
    if (lines.length > MAX_TRUTHS)
      throw Invalid.field(['content'], `A truth set can have at most ${MAX_TRUTHS} truths`);
  }
  if (lines.length === 0) throw Invalid.field(['content'], 'The text has no lines');
  return lines;
}
