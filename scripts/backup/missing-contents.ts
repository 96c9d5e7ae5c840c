import { keys } from '#src/bucket/keys.ts';
import { toPrintable } from '../import/output.ts';
import { type Directory, readLines } from './directory.ts';
import { objectLine } from './manifest.ts';

interface FileRow {
  id: string;
  storage_key: string | null;
}
interface PipelineRow {
  id: string;
  project_id: string;
}
interface MemberRow {
  pipeline_id: string;
  kind: string;
  document_id: string;
  text: string | null;
  text_id: string | null;
}

/**
 * Names files and documents whose contents are missing from the backup. Replaced contents are stored under a
 * new key, and the row may have been read before the replacement.
 */
export async function findMissingContents(directory: Directory): Promise<string[]> {
  const wanted = new Map<string, string>();
  for await (const { value } of readLines(directory.table('files'))) {
    const { id, storage_key } = value as FileRow;
    if (storage_key !== null) wanted.set(storage_key, id);
  }
  const projects = new Map<string, string>();
  for await (const { value } of readLines(directory.table('pipelines'))) {
    const { id, project_id } = value as PipelineRow;
    projects.set(id, project_id);
  }
  for await (const { value } of readLines(directory.table('pipeline_members'))) {
    const { pipeline_id, kind, document_id, text, text_id } = value as MemberRow;
    const project = projects.get(pipeline_id);
    if (kind !== 'text' || text !== null || text_id === null || project === undefined) continue;
    wanted.set(keys.documentText(project, pipeline_id, text_id), `${pipeline_id}/${document_id}`);
  }
  for await (const { value } of readLines(directory.objectList())) wanted.delete(objectLine.parse(value).key);
  return [...wanted.values()].map((name) => toPrintable(name));
}
