import { configHash } from '#src/lib/secrets/hash.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import { type Attachment, attachment, each, type Issue } from './answers.ts';
import type { Server } from './api.ts';
import { isWanted, LISTED } from './names.ts';
import type { JiraSettings } from './settings.ts';
import { oneLine, recordOf, textIn, textOf, textsOf } from './values.ts';

/** Prefix of attachment ids. Issue ids are plain numbers. */
export const ATTACHMENT = 'attachment/';
const LONGEST_SUMMARY = 200;
/** Version of the Markdown format. Increase it to read every issue again. */
const FORMAT = 1;

/** Returns the fields to request when listing issues. */
export function listedFields({ fields, withPermissions }: JiraSettings): string[] {
  const wanted = LISTED.filter((name) => isWanted(fields, name));
  return [...new Set(['summary', 'project', 'updated', ...wanted, ...(withPermissions ? ['security'] : [])])];
}

/** Returns the entries of an issue and its attachments. */
export async function entriesOfIssue(
  issue: Issue,
  settings: JiraSettings,
  server: Server,
): Promise<SourceEntry[]> {
  const { id, key, fields } = issue;
  const project = textIn(fields.project, 'key') || key.slice(0, key.lastIndexOf('-'));
  const name = `${fileNameOf(`${key} ${summaryOf(issue)}`.trim())}.md`;
  const permissions = settings.withPermissions ? permissionsOf(fields, project) : null;
  const facts = factsOf(fields, key, project);
  const own: SourceEntry = {
    id,
    name,
    path: `${fileNameOf(project)}/${name}`,
    size: null,
    version: await configHash([
      ...[FORMAT, server.version, settings.fields, settings.withChangelog, key, fields.updated],
      // Display names may change without a new `updated` time, so they are part of the version.
      LISTED.map((name) => (name === 'attachment' ? '' : textOf(fields[name]))),
      textOf(fields.summary),
      textOf(fields.project),
    ]),
    modifiedAt: timeOf(fields.updated),
    webUrl: `${server.site}/browse/${encodeURIComponent(key)}`,
    permissions,
    metadata: facts,
  };
  const attached = Array.isArray(fields.attachment) ? each(attachment).parse(fields.attachment) : [];
  return [own, ...attached.map((file) => fileEntry(file, { own, key, project, server }))];
}

interface Around {
  own: SourceEntry;
  key: string;
  project: string;
  server: Server;
}

function fileEntry(file: Attachment, { own, key, project, server }: Around): SourceEntry {
  const { id, filename, size, created, mimeType, author } = file;
  const name = fileNameOf(filename ?? '') || id;
  const { key: _key, ...about } = own.metadata;
  return {
    id: `${ATTACHMENT}${id}`,
    name,
    path: `${fileNameOf(project)}/${key}/${name}`,
    size: typeof size === 'number' ? size : null,
    // Attachments never change. A new version of a file is a new attachment.
    version: `${id} ${created ?? ''}`,
    modifiedAt: timeOf(created),
    webUrl: `${server.site}/secure/attachment/${id}/${encodeURIComponent(name.toWellFormed())}`,
    permissions: own.permissions,
    metadata: {
      ...{ attached_to: key, project },
      ...(about.project_name !== undefined && { project_name: about.project_name }),
      ...(mimeType && { mimetype: mimeType }),
      ...(author?.displayName && { author: author.displayName }),
      ...(created && { created }),
    },
  };
}

export const summaryOf = ({ fields }: Pick<Issue, 'fields'>): string => oneLine(textOf(fields.summary));

function fileNameOf(text: string): string {
  const line = oneLine(text).replaceAll('/', '-');
  const dot = line.lastIndexOf('.');
  if (line.length <= LONGEST_SUMMARY || dot < line.length - 20) return line.slice(0, LONGEST_SUMMARY).trim();
  return `${line.slice(0, LONGEST_SUMMARY)}${line.slice(dot)}`;
}

/**
 * Returns the project and the security level of an issue. Without a security level, everyone who can browse
 * the project may read it.
 */
function permissionsOf(fields: Issue['fields'], project: string): Record<string, unknown> {
  const level = recordOf(fields.security);
  return {
    ...{ project, project_id: textIn(fields.project, 'id') || null },
    security_level: textIn(level, 'name') || null,
    security_level_id: textIn(level, 'id') || null,
  };
}

function factsOf(fields: Issue['fields'], key: string, project: string): Record<string, unknown> {
  const facts = {
    ...{ key, project, project_name: textIn(fields.project, 'name') },
    ...{ issue_type: textOf(fields.issuetype), status: textOf(fields.status) },
    ...{ priority: textOf(fields.priority), resolution: textOf(fields.resolution) },
    ...{ assignee: textOf(fields.assignee), reporter: textOf(fields.reporter) },
    ...{ labels: textsOf(fields.labels), components: textsOf(fields.components) },
    ...{ created: textOf(fields.created), updated: textOf(fields.updated) },
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact.length > 0));
}

function timeOf(value: unknown): Date | null {
  return typeof value === 'string' ? new Date(value) : null;
}
