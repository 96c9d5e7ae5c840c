import { configHash } from '#src/lib/secrets/hash.ts';
import type { SourceEntry } from '#src/ports/source.ts';
import type { Server } from './api.ts';
import { isWanted, LISTED_FIELDS } from './names.ts';
import { type Attachment, attachment, type Issue, lenientList } from './responses.ts';
import type { JiraSettings } from './settings.ts';
import { getText, toRecord, toSingleLine, toText, toTexts } from './values.ts';

/** Prefix that distinguishes the ids of attachments from those of issues, which are plain numbers. */
export const ATTACHMENT = 'attachment/';
const LONGEST_SUMMARY = 200;
/**
 * Version of the rendering of issues as Markdown. When a release increases the number, the next sync reads
 * every issue again.
 */
const FORMAT = 1;

export function getListedFields({ fields, withPermissions }: JiraSettings): string[] {
  const wanted = LISTED_FIELDS.filter((name) => isWanted(fields, name));
  return [...new Set(['summary', 'project', 'updated', ...wanted, ...(withPermissions ? ['security'] : [])])];
}

export async function buildIssueEntries(
  issue: Issue,
  settings: JiraSettings,
  server: Server,
): Promise<SourceEntry[]> {
  const { id, key, fields } = issue;
  const project = getText(fields.project, 'key') || key.slice(0, key.lastIndexOf('-'));
  const name = `${toFileName(`${key} ${getSummary(issue)}`.trim())}.md`;
  const permissions = settings.withPermissions ? buildPermissions(fields, project) : null;
  const facts = buildMetadata(fields, key, project);
  const own: SourceEntry = {
    id,
    name,
    path: `${toFileName(project)}/${name}`,
    size: null,
    version: await configHash([
      ...[FORMAT, server.version, settings.fields, settings.withChangelog, key, fields.updated],
      // Display names may change without changing the issue's `updated` time. They are therefore part of the
      // version.
      LISTED_FIELDS.map((name) => (name === 'attachment' ? '' : toText(fields[name]))),
      toText(fields.summary),
      toText(fields.project),
    ]),
    modifiedAt: parseTime(fields.updated),
    webUrl: `${server.site}/browse/${encodeURIComponent(key)}`,
    permissions,
    metadata: facts,
  };
  const attached = Array.isArray(fields.attachment) ? lenientList(attachment).parse(fields.attachment) : [];
  return [own, ...attached.map((file) => fileEntry(file, { own, key, project, server }))];
}

interface IssueContext {
  own: SourceEntry;
  key: string;
  project: string;
  server: Server;
}

function fileEntry(file: Attachment, { own, key, project, server }: IssueContext): SourceEntry {
  const { id, filename, size, created, mimeType, author } = file;
  const name = toFileName(filename ?? '') || id;
  const { key: _key, ...about } = own.metadata;
  return {
    id: `${ATTACHMENT}${id}`,
    name,
    path: `${toFileName(project)}/${key}/${name}`,
    size: typeof size === 'number' ? size : null,
    // Attachments never change. A new version of a file becomes a new attachment.
    version: `${id} ${created ?? ''}`,
    modifiedAt: parseTime(created),
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

export const getSummary = ({ fields }: Pick<Issue, 'fields'>): string => toSingleLine(toText(fields.summary));

function toFileName(text: string): string {
  const line = toSingleLine(text).replaceAll('/', '-');
  const dot = line.lastIndexOf('.');
  if (line.length <= LONGEST_SUMMARY || dot < line.length - 20) return line.slice(0, LONGEST_SUMMARY).trim();
  return `${line.slice(0, LONGEST_SUMMARY)}${line.slice(dot)}`;
}

/**
 * Returns the project and the security level that determine who may read an issue. Without a security level,
 * everyone who can browse the project may read the issue.
 */
function buildPermissions(fields: Issue['fields'], project: string): Record<string, unknown> {
  const level = toRecord(fields.security);
  return {
    ...{ project, project_id: getText(fields.project, 'id') || null },
    security_level: getText(level, 'name') || null,
    security_level_id: getText(level, 'id') || null,
  };
}

function buildMetadata(fields: Issue['fields'], key: string, project: string): Record<string, unknown> {
  const facts = {
    ...{ key, project, project_name: getText(fields.project, 'name') },
    ...{ issue_type: toText(fields.issuetype), status: toText(fields.status) },
    ...{ priority: toText(fields.priority), resolution: toText(fields.resolution) },
    ...{ assignee: toText(fields.assignee), reporter: toText(fields.reporter) },
    ...{ labels: toTexts(fields.labels), components: toTexts(fields.components) },
    ...{ created: toText(fields.created), updated: toText(fields.updated) },
  };
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact.length > 0));
}

function parseTime(value: unknown): Date | null {
  return typeof value === 'string' ? new Date(value) : null;
}
