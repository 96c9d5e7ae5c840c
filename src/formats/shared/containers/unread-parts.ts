import type { DocumentMetadata, Omission } from '#src/documents/document.ts';
import type { Archive } from './zip.ts';

/** A result names so many parts that are missing, and then says how many more there are. */
const MOST_NAMED = 100;
/** A chart that was read was read from its own cells: the workbook beside it has the same. */
const CHART_RELATIONS = /\/charts\/_rels\/[^/]+\.rels$/;

type Part = Omit<Omission, 'message'> & {
  /** Matches the names of parts that hold something to read or to look at. */
  pattern: RegExp;
  /** Says what such a part is, before its name. */
  what: string;
};

const PARTS: readonly Part[] = [
  { kind: 'embedded_file', pattern: /(?:^|\/)embeddings\/[^/]+$/, what: 'The embedded file' },
  {
    kind: 'embedded_file',
    pattern: /^word\/[^/]+\.(?:html?|mht|mhtml|rtf|docx|txt)$/i,
    what: 'The inserted document',
  },
  { kind: 'unsupported_object', pattern: /\/(?:charts|chartex)\/chart[^/]*\.xml$/i, what: 'The chart' },
  { kind: 'unsupported_object', pattern: /^xl\/chartsheets\/[^/]+\.xml$/, what: 'The chart sheet' },
  { kind: 'unsupported_object', pattern: /\/diagrams\/data[^/]*\.xml$/, what: 'The diagram' },
  {
    kind: 'unsupported_object',
    pattern:
      /(?:^word\/comments\.xml$|^xl\/(?:comments|threadedComments\/)[^/]*\.xml$|^ppt\/comments\/[^/]+\.xml$)/i,
    what: 'The comments in',
  },
  {
    kind: 'unsupported_object',
    pattern: /\/media\/[^/]+\.(?:mp4|m4v|mov|avi|wmv|mp3|m4a|wav|wma)$/i,
    what: 'The recording',
  },
  { kind: 'picture_not_read', pattern: /(?:\/media|^Pictures)\/[^/]+$/, what: 'The picture' },
  { kind: 'unsupported_object', pattern: /^Object [^/]+\/content\.xml$/, what: 'The embedded object' },
];

/** Lists the parts of an office document that hold something and that nobody has read. */
export function listUnreadParts(archive: Archive): Omission[] {
  const unread = archive.names.filter((name) => !archive.isRead(name));
  const ofCharts = findWorkbooksOfCharts(archive);
  const found = unread.flatMap((name): Omission[] => {
    const part = PARTS.find(({ pattern }) => pattern.test(name));
    if (!part || ofCharts.has(name.slice(name.lastIndexOf('/') + 1))) return [];
    return [{ kind: part.kind, message: `${part.what} ${name} is not read.` }];
  });
  return limitOmissions(found);
}

/** Names of the workbooks that belong to charts which have been read. */
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

/** Names the first of many missing parts, and counts the others. */
export function limitOmissions(omissions: readonly Omission[]): Omission[] {
  if (omissions.length <= MOST_NAMED) return [...omissions];
  const more = omissions.length - MOST_NAMED;
  const last: Omission = {
    kind: omissions[MOST_NAMED]!.kind,
    message: `${more} further parts of the file are not read.`,
  };
  return [...omissions.slice(0, MOST_NAMED), last];
}

/** Adds what is missing to the metadata of a document; metadata without anything missing stay as they are. */
export function withOmissions(metadata: DocumentMetadata, added: readonly Omission[]): DocumentMetadata {
  if (added.length === 0) return metadata;
  return { ...metadata, omissions: limitOmissions([...(metadata.omissions ?? []), ...added]) };
}

/** Says of a sheet or slide that is hidden in the file why it is not among the pages. */
export const hiddenPart = (what: string, parameter: string): Omission => ({
  kind: 'hidden_part',
  message: `${what} is hidden in the file and not read; the parse parameter \`${parameter}\` decides.`,
});

/** Says of a file inside another one why it is not read. */
export const failedMember = (path: string, reason: string): Omission => ({
  kind: 'failed_member',
  message: `${path} is not read: ${reason}`,
});
