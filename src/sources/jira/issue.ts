import type { SourceContent } from '#src/ports/source.ts';
import { isDocument } from './adf/document.ts';
import { adfToMarkdown } from './adf/markdown.ts';
import type { JiraApi } from './api.ts';
import { getSummary } from './entries.ts';
import { getRequestedFields, HEAD_FIELDS, isWanted, RENDERED_ELSEWHERE } from './names.ts';
import { type Comment, comment, comments, type History, type Issue, lenientList } from './responses.ts';
import type { JiraSettings } from './settings.ts';
import { getText, toRecord, toSingleLine, toText } from './values.ts';
import { wikiToMarkdown } from './wiki-markup.ts';

/**
 * Maximum length in characters of a field value that is shown in the list at the top of the issue. A longer
 * value gets its own section.
 */
const LONGEST_FACT = 200;
/**
 * Types of custom Jira fields that only machines can read, such as ranks and development panel states. These
 * fields are not rendered.
 */
const MACHINE_READABLE = /gh-lexo-rank$|devsummarycf$/;
const WIKI = /:textarea$/;

/** Renders a Jira issue as Markdown. Returns `undefined` if the issue no longer exists. */
export async function readIssue(
  api: JiraApi,
  settings: JiraSettings,
  id: string,
): Promise<SourceContent | undefined> {
  const expand = ['names', 'schema', ...(settings.withChangelog ? ['changelog'] : [])].join(',');
  const issue = await api.issue(
    id,
    new URLSearchParams({ fields: getRequestedFields(settings.fields), expand }),
  );
  if (!issue) return undefined;
  const issueComments = isWanted(settings.fields, 'comment') ? await readComments(api, issue) : [];
  const text = renderIssue(issue, issueComments, settings);
  return { body: encodeBody(text), version: null, contentType: 'text/markdown' };
}

async function* encodeBody(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/**
 * Returns the comments of an issue. Requests all comments if the issue response includes only some of them.
 */
async function readComments(api: JiraApi, { id, fields }: Issue): Promise<Comment[]> {
  const { data } = comments.safeParse(fields.comment);
  if (!data) return [];
  const isWhole = data.total == null || data.total <= data.comments.length;
  return isWhole ? lenientList(comment).parse(data.comments) : api.comments(id);
}

function renderIssue(issue: Issue, issueComments: Comment[], settings: JiraSettings): string {
  const { key, fields } = issue;
  const project = getText(fields.project, 'name') || getText(fields.project, 'key');
  const { facts, sections } = renderOtherFields(issue, settings);
  const head = Object.keys(HEAD_FIELDS).filter((name) => isWanted(settings.fields, name));
  const lines = [
    ...(project ? [`- **Project:** ${toSingleLine(project)}`] : []),
    ...head.map((name) => renderFact(getFieldLabel(issue, name), toText(fields[name]))),
    ...facts,
  ].filter((line) => line !== '');
  return `${[
    `# ${`${key} ${getSummary(issue)}`.trim()}`,
    lines.join('\n'),
    isWanted(settings.fields, 'description') ? renderSection(issue, 'description') : '',
    ...sections,
    renderList(getFieldLabel(issue, 'issuelinks'), listLinks(fields.issuelinks)),
    renderList(getFieldLabel(issue, 'subtasks'), listIssueKeys(fields.subtasks)),
    renderComments(getFieldLabel(issue, 'comment'), issueComments),
    renderList('History', listHistory(issue.changelog?.histories ?? [])),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

const NAMES: Record<string, string> = {
  ...HEAD_FIELDS,
  ...{ description: 'Description', comment: 'Comments', issuelinks: 'Links', subtasks: 'Subtasks' },
};

function getFieldLabel({ names }: Issue, id: string): string {
  const given = names && Object.hasOwn(names, id) ? toSingleLine(names[id] ?? '') : '';
  return (Object.hasOwn(NAMES, id) && NAMES[id]) || given || id;
}

const renderFact = (name: string, text: string) =>
  text === '' ? '' : `- **${name}:** ${toSingleLine(text)}`;

/**
 * Renders custom fields and other fields named in the settings. Short values go into the list at the top of
 * the issue, and long values become sections.
 */
function renderOtherFields(issue: Issue, { fields: wanted }: JiraSettings) {
  const facts: string[] = [];
  const sections: string[] = [];
  const names = Object.keys(issue.fields).filter(
    (name) =>
      !RENDERED_ELSEWHERE.has(name) &&
      (name.startsWith('customfield_') || name === 'environment' || wanted?.includes(name)) &&
      !MACHINE_READABLE.test(issue.schema?.[name]?.custom ?? ''),
  );
  for (const name of names.sort()) {
    const value = issue.fields[name];
    const text = toText(value);
    const isLong =
      isDocument(value) || isWiki(issue, name) || text.includes('\n') || text.length > LONGEST_FACT;
    if (isLong) sections.push(renderSection(issue, name));
    else facts.push(renderFact(getFieldLabel(issue, name), text));
  }
  return { facts, sections };
}

const isWiki = ({ schema }: Issue, name: string) =>
  name === 'environment' || WIKI.test(schema?.[name]?.custom ?? '');

function renderSection(issue: Issue, name: string): string {
  const value = issue.fields[name];
  const isRich = name === 'description' || isDocument(value) || isWiki(issue, name);
  const text = isRich ? renderRichText(value, 2) : toText(value);
  return text.trim() && `## ${getFieldLabel(issue, name)}\n\n${text.trim()}`;
}

/**
 * Converts rich text to Markdown. Jira's API version 3 returns rich text as a document, and version 2 as wiki
 * markup.
 */
function renderRichText(value: unknown, below: number): string {
  return typeof value === 'string' ? wikiToMarkdown(value, below) : adfToMarkdown(value, below);
}

const renderList = (name: string, items: string[]) =>
  items.length === 0 ? '' : `## ${name}\n\n${items.map((item) => `- ${item}`).join('\n')}`;

/**
 * Returns only the keys of linked issues. The titles of linked issues may change without an update of this
 * issue, so they would become outdated.
 */
const listIssueKeys = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((one) => getText(one, 'key')).filter((key) => key !== '') : [];

function listLinks(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((link) => {
    const { type, outwardIssue, inwardIssue } = toRecord(link) ?? {};
    const outward = getText(outwardIssue, 'key');
    const key = outward || getText(inwardIssue, 'key');
    return key ? [`${getText(type, outward ? 'outward' : 'inward')} ${key}`.trim()] : [];
  });
}

function renderComments(name: string, issueComments: Comment[]): string {
  if (issueComments.length === 0) return '';
  const shown = issueComments.map(({ author, created, visibility, body }) => {
    const only = visibility?.value ? ` (only for ${toSingleLine(visibility.value)})` : '';
    const who = toSingleLine(author?.displayName ?? '') || 'Somebody';
    return `### ${[who, formatTime(created)].filter(Boolean).join(', ')}${only}\n\n${renderRichText(body, 3)}`.trim();
  });
  return [`## ${name}`, ...shown].join('\n\n');
}

function listHistory(histories: History[]): string[] {
  return histories.flatMap(({ created, author, items }) =>
    (items ?? []).map(({ field, from, to }) => {
      const who = [formatTime(created), toSingleLine(author?.displayName ?? '')].filter(Boolean).join(', ');
      return toSingleLine(`${who}: ${field ?? ''}: ${from ?? ''} → ${to ?? ''}`);
    }),
  );
}

/** Formats a time in UTC, such as `2026-03-04 05:06`. Returns an empty string if the time is invalid. */
function formatTime(text: string | null | undefined): string {
  const time = new Date(text ?? '');
  return Number.isNaN(time.getTime()) ? '' : time.toISOString().slice(0, 16).replace('T', ' ');
}
