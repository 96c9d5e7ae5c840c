import type { DocumentMetadata, Omission } from '#src/documents/document.ts';
import { findFallbackPictures } from './fallback-pictures.ts';
import type { Archive } from './zip.ts';

/** Maximum number of missing parts that a result lists one by one. The remaining parts are only counted. */
const MAX_LISTED = 100;
/**
 * Relationship files of charts. A chart is read from the values cached in its own part, so its embedded
 * workbook adds nothing.
 */
const CHART_RELATIONS = /\/charts\/_rels\/[^/]+\.rels$/;

type Part = Omit<Omission, 'message'> & {
  /** Matches the names of parts with content that a reader would want to see. */
  pattern: RegExp;
  /** Description of the part, placed before its name in the message. */
  label: string;
};

const PARTS: readonly Part[] = [
  { kind: 'embedded_file', pattern: /(?:^|\/)embeddings\/[^/]+$/, label: 'The embedded file' },
  {
    kind: 'embedded_file',
    pattern: /^word\/[^/]+\.(?:html?|mht|mhtml|rtf|docx|txt)$/i,
    label: 'The inserted document',
  },
  { kind: 'unsupported_object', pattern: /\/(?:charts|chartex)\/chart[^/]*\.xml$/i, label: 'The chart' },
  { kind: 'unsupported_object', pattern: /^xl\/chartsheets\/[^/]+\.xml$/, label: 'The chart sheet' },
  { kind: 'unsupported_object', pattern: /\/diagrams\/data[^/]*\.xml$/, label: 'The diagram' },
  {
    kind: 'unsupported_object',
    pattern:
      /(?:^word\/comments\.xml$|^xl\/(?:comments|threadedComments\/)[^/]*\.xml$|^ppt\/comments\/[^/]+\.xml$)/i,
    label: 'The comments part',
  },
  {
    kind: 'unsupported_object',
    pattern: /\/media\/[^/]+\.(?:mp4|m4v|mov|avi|wmv|mp3|m4a|wav|wma)$/i,
    label: 'The recording',
  },
  { kind: 'picture_not_read', pattern: /(?:\/media|^Pictures)\/[^/]+$/, label: 'The picture' },
  { kind: 'unsupported_object', pattern: /^Object [^/]+\/content\.xml$/, label: 'The embedded object' },
];

/** Lists the parts of an office document that have content but were not read. */
export function listUnreadParts(archive: Archive): Omission[] {
  const unread = archive.names.filter((name) => !archive.isRead(name));
  const ofCharts = findWorkbooksOfCharts(archive);
  const fallbacks = findFallbackPictures(archive, unread);
  const found = unread.flatMap((name): Omission[] => {
    const part = PARTS.find(({ pattern }) => pattern.test(name));
    if (!part || ofCharts.has(name.slice(name.lastIndexOf('/') + 1)) || fallbacks.has(name)) return [];
    return [{ kind: part.kind, message: `${part.label} ${name} is not read.` }];
  });
  return limitOmissions(found);
}

/** Returns the names of embedded workbooks that belong to charts which were read. */
function findWorkbooksOfCharts(archive: Archive): Set<string> {
  const found = new Set<string>();
  for (const name of archive.names) {
    if (!CHART_RELATIONS.test(name)) continue;
    if (!archive.isRead(name.replace('/_rels/', '/').replace(/\.rels$/, ''))) continue;
    for (const [, target = ''] of (archive.text(name) ?? '').matchAll(/embeddings\/([^"/]+)"/g))
      found.add(target);
  }
  return found;
}

/** Keeps the first `MAX_LISTED` omissions and summarizes the others in one entry. */
export function limitOmissions(omissions: readonly Omission[]): Omission[] {
  if (omissions.length <= MAX_LISTED) return [...omissions];
  const more = omissions.length - MAX_LISTED;
  const last: Omission = {
    kind: omissions[MAX_LISTED]!.kind,
    message: `${more} further parts of the file are not read.`,
  };
  return [...omissions.slice(0, MAX_LISTED), last];
}

/**
 * Adds omissions to the metadata of a document. Returns the metadata unchanged if there is nothing to add.
 */
export function withOmissions(metadata: DocumentMetadata, added: readonly Omission[]): DocumentMetadata {
  if (added.length === 0) return metadata;
  return { ...metadata, omissions: limitOmissions([...(metadata.omissions ?? []), ...added]) };
}

/** Builds the omission for a sheet or slide that is hidden in the file. */
export const buildHiddenPartOmission = (what: string, parameter: string): Omission => ({
  kind: 'hidden_part',
  message: `${what} is hidden in the file and was skipped. The parse parameter \`${parameter}\` decides whether hidden parts are read.`,
});

/** Builds the omission for passages whose deletion the file records as a change. */
export const buildDeletionOmission = (count: number): Omission => ({
  kind: 'hidden_part',
  message: `The text is as if all recorded changes were accepted: ${count} deleted ${count === 1 ? 'passage is' : 'passages are'} left out.`,
});

/** Builds the omission for pictures that are stored in other files. */
export const buildUnreadPicturesOmission = (count: number): Omission => ({
  kind: 'picture_not_read',
  message:
    count === 1
      ? 'A picture was not read, because the file only refers to it.'
      : `${count} pictures were not read, because the file only refers to them.`,
});

/** Builds the omission for a file that the document includes by its name. */
export const buildIncludedFileOmission = (name: string): Omission => ({
  kind: 'unsupported_object',
  message: `The file "${name.slice(0, 200)}" that the document includes was not read. Upload it as a separate file.`,
});

/** Builds the omission for a file inside another file that could not be read. */
export const buildFailedMemberOmission = (path: string, reason: string): Omission => ({
  kind: 'failed_member',
  message: `${path} is not read: ${reason}`,
});
