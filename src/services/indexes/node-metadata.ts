import type { FileMember, TextMember } from '#src/db/pipeline-members.ts';
import type { dataSources, files, Pipeline } from '#src/db/schema/index.ts';
import type { Metadata, MetadataValue } from '#src/ports/index-types.ts';

type Row<Table extends { $inferSelect: unknown }> = Table['$inferSelect'];

type DescribedFile = Pick<
  Row<typeof files>,
  'id' | 'name' | 'fileType' | 'fileSize' | 'externalFileId' | 'lastModifiedAt' | 'resourceInfo'
>;

/**
 * Returns the metadata of a file's chunks. If a name occurs several times, later sources override earlier
 * ones. The order is: properties of the file, custom metadata of the data source, resource info of the file,
 * and metadata of the file in the pipeline.
 */
export function buildFileMetadata(
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
    // Metadata cannot override ids, because clients use them to find the file.
    file_id: file.id,
    document_id: file.id,
    pipeline_id: pipeline.id,
    data_source_id: member.dataSourceId,
  });
}

/**
 * Returns the metadata that clients set on the data source, in a metadata table and on the file. The most
 * specific value wins.
 */
export function getClientFileMetadata(
  member: Pick<FileMember, 'tableMetadata' | 'customMetadata'>,
  source: Pick<Row<typeof dataSources>, 'customMetadata'> | null,
): Metadata {
  return flatten({ ...source?.customMetadata, ...member.tableMetadata, ...member.customMetadata });
}

export function getClientDocumentMetadata({ metadata }: Pick<TextMember, 'metadata'>): Metadata {
  return flatten(metadata);
}

export function buildDocumentMetadata(
  pipeline: Pipeline,
  document: Pick<TextMember, 'documentId' | 'metadata'>,
): Metadata {
  return flatten({ ...document.metadata, document_id: document.documentId, pipeline_id: pipeline.id });
}

function flatten(source: Record<string, unknown>): Metadata {
  const entries = listFlatEntries(source);
  return Object.fromEntries(entries.filter(([, value]) => value !== null));
}

/**
 * Lists metadata with nested objects flattened to keys with dots, such as `author.name`. Arrays keep their values as
 * numbers or texts. Undefined values are dropped.
 */
export function listFlatEntries(source: Record<string, unknown>, prefix = ''): [string, MetadataValue][] {
  return Object.entries(source).flatMap(([key, value]): [string, MetadataValue][] => {
    const name = prefix + key;
    if (value === undefined) return [];
    if (Array.isArray(value)) {
      return [[name, value.map((each) => (typeof each === 'number' ? each : scalarText(each)))]];
    }
    if (value === null || typeof value !== 'object') return [[name, value as MetadataValue]];
    return listFlatEntries(value as Record<string, unknown>, `${name}.`);
  });
}

function scalarText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
