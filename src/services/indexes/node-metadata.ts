import type { FileMember, TextMember } from '#src/db/pipeline-members.ts';
import type { dataSources, files, Pipeline } from '#src/db/schema/index.ts';
import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';

type Row<Table extends { $inferSelect: unknown }> = Table['$inferSelect'];

type DescribedFile = Pick<
  Row<typeof files>,
  'id' | 'name' | 'fileType' | 'fileSize' | 'externalFileId' | 'lastModifiedAt' | 'resourceInfo'
>;

/**
 * Returns the metadata of a file's nodes. For equal names the later source wins: Sluice's own data, the data
 * source's custom metadata, the file's resource info, the pipeline file's metadata.
 */
export function fileMetadata(
  pipeline: Pipeline,
  file: DescribedFile,
  member: Pick<FileMember, 'tableMetadata' | 'customMetadata' | 'dataSourceId'>,
  source: Pick<Row<typeof dataSources>, 'customMetadata'> | null,
): Metadata {
  return flatten({
    file_name: file.name,
    file_path: file.resourceInfo?.file_path ?? file.name,
    file_type: file.fileType,
    file_size: file.fileSize,
    external_file_id: file.externalFileId,
    last_modified_at: file.lastModifiedAt?.toISOString(),
    ...source?.customMetadata,
    ...file.resourceInfo,
    ...member.tableMetadata,
    ...member.customMetadata,
    // Ids are never overridden, because clients use them to find the file.
    file_id: file.id,
    document_id: file.id,
    pipeline_id: pipeline.id,
    data_source_id: member.dataSourceId,
  });
}

/**
 * Returns metadata that clients set on the data source, in a table and on the file. The most specific one
 * wins.
 */
export function givenFileMetadata(
  member: Pick<FileMember, 'tableMetadata' | 'customMetadata'>,
  source: Pick<Row<typeof dataSources>, 'customMetadata'> | null,
): Metadata {
  return flatten({ ...source?.customMetadata, ...member.tableMetadata, ...member.customMetadata });
}

export function givenDocumentMetadata({ metadata }: Pick<TextMember, 'metadata'>): Metadata {
  return flatten(metadata);
}

export function documentMetadata(
  pipeline: Pipeline,
  document: Pick<TextMember, 'documentId' | 'metadata'>,
): Metadata {
  return flatten({ ...document.metadata, document_id: document.documentId, pipeline_id: pipeline.id });
}

/** Nested objects become dotted keys. Arrays keep their scalars, and undefined members are dropped. */
function flatten(source: Record<string, unknown>, prefix = ''): Metadata {
  const flat: Metadata = {};
  for (const [key, value] of Object.entries(source)) {
    const name = prefix + key;
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) {
      flat[name] = value.map((each) => (typeof each === 'number' ? each : scalarText(each)));
    } else if (typeof value === 'object') {
      Object.assign(flat, flatten(value as Record<string, unknown>, `${name}.`));
    } else {
      flat[name] = value as MetadataValue;
    }
  }
  return flat;
}

function scalarText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
